"""What the files of a tree say to one who reads them and runs nothing."""
