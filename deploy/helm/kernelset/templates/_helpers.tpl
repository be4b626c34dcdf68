{{- define "kernelset.labels" -}}
app.kubernetes.io/name: kernelset
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "kernelset.selector" -}}
app.kubernetes.io/name: kernelset
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Every Deployment of workers, as a JSON list: {queue, served, pattern, kind, arch, …}. One of a GPU has what runs there, and
what judges candidates there: a GPU is held once for both. */}}
{{- define "kernelset.queues" -}}
{{- $all := list }}
{{- range $queue, $each := .Values.queues }}
{{- $all = append $all (merge (dict "queue" $queue "served" (list $queue) "pattern" $queue "kind" "cpu") $each) }}
{{- end }}
{{- range $arch, $each := .Values.gpus }}
{{- $kind := ternary "rocm" "cuda" (eq $each.vendor "amd") }}
{{- $gpu := printf "%s.%s" $kind $arch }}
{{- $served := list (printf "validate.%s" $gpu) (printf "judge.%s" $gpu) }}
{{- $all = append $all (merge (dict "queue" (first $served) "served" $served "pattern" (printf "*.%s" $gpu) "kind" $kind "arch" $arch) $each) }}
{{- end }}
{{- toJson $all }}
{{- end }}

{{/* A queue's name where only letters, digits and hyphens may stand. */}}
{{- define "kernelset.slug" -}}
{{- regexReplaceAll "[^a-z0-9]+" . "-" -}}
{{- end }}

{{- define "kernelset.environment" -}}
- { name: KERNELSET_HOME, value: /var/lib/kernelset }
- { name: KERNELSET_DATABASE_FILE, value: /run/secrets/kernelset/database }
- { name: KERNELSET_BROKER_FILE, value: /run/secrets/kernelset/broker }
- { name: AWS_SHARED_CREDENTIALS_FILE, value: /run/secrets/kernelset/s3_credentials }
- { name: KERNELSET_BLOBS, value: {{ .Values.blobs | quote }} }
{{- with .Values.s3Endpoint }}
- { name: KERNELSET_S3_ENDPOINT, value: {{ . | quote }} }
{{- end }}
- { name: KERNELSET_TARGETS, value: {{ join "," .Values.targets | quote }} }
{{- $devices := list "cpu" }}
{{- $queues := list }}
{{- range $each := include "kernelset.queues" . | fromJsonArray }}
{{- $queues = concat $queues $each.served }}
{{- if ne $each.kind "cpu" }}{{ $devices = append $devices (printf "%s:%s" $each.kind $each.arch) }}{{ end }}
{{- end }}
{{- if not (hasKey .Values.environment "KERNELSET_DEVICES") }}
- { name: KERNELSET_DEVICES, value: {{ join "," $devices | quote }} }
{{- end }}
{{- if and .Values.autoscaling.enabled (eq (int .Values.autoscaling.minimum) 0) }}
# these get workers as soon as they have tasks
- { name: KERNELSET_AUTOSCALED, value: {{ join "," $queues | quote }} }
{{- end }}
- { name: KERNELSET_TASK_SECONDS, value: {{ .Values.taskSeconds | quote }} }
- { name: KERNELSET_DRAIN_SECONDS, value: {{ .Values.taskSeconds | quote }} }
{{- range $name, $value := .Values.environment }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "kernelset.mounts" -}}
- { name: secrets, mountPath: /run/secrets/kernelset, readOnly: true }
- { name: state, mountPath: /var/lib/kernelset }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "kernelset.volumes" -}}
- name: secrets
  secret: { secretName: {{ .Values.secret }}, defaultMode: 0444 }
- name: state
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- end }}

{{/* What every pod of ours has: a pull secret, no token of Kubernetes, nobody as its user. */}}
{{- define "kernelset.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "kernelset.seccomp" -}}
{{- if .Values.sandbox.seccompProfile -}}
{ type: Localhost, localhostProfile: {{ .Values.sandbox.seccompProfile }} }
{{- else -}}
{ type: Unconfined }
{{- end -}}
{{- end }}

{{/* The security context of a container by how its sandbox works. */}}
{{- define "kernelset.security" -}}
{{- $mode := .mode -}}
readOnlyRootFilesystem: true
{{- if eq $mode "admin" }}
runAsUser: 0
capabilities: { drop: [ALL], add: [SYS_ADMIN, SETUID, SETGID, KILL, CHOWN, DAC_OVERRIDE, FOWNER, NET_ADMIN] }
seccompProfile: {{ include "kernelset.seccomp" .root }}
appArmorProfile: { type: Unconfined }
{{- else }}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
capabilities: { drop: [ALL] }
{{- if eq $mode "users" }}
procMount: Unmasked
seccompProfile: {{ include "kernelset.seccomp" .root }}
appArmorProfile: { type: Unconfined }
{{- else }}
allowPrivilegeEscalation: false
seccompProfile: { type: RuntimeDefault }
{{- end }}
{{- end }}
{{- end }}
