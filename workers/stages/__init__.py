"""One file a stage: `run(claim, storage, workspace) -> Outcome`, whoever calls it."""
