{{/* Labels of a cluster's component, as the upstream chart sets them; the driver finds machines by them. */}}
{{- define "labels" -}}
capi.stackhpc.com/cluster: {{ .Release.Name }}
cluster.x-k8s.io/cluster-name: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Selector that MachineHealthChecks and MachineDeployments share. */}}
{{- define "group-labels" -}}
capi.stackhpc.com/cluster: {{ .root.Release.Name }}
capi.stackhpc.com/component: worker
capi.stackhpc.com/node-group: {{ .group.name }}
{{- end }}

{{- define "version" -}}
v{{ .Values.kubernetesVersion | trimPrefix "v" }}
{{- end }}

{{/* A machine's template: flavor, image, key, root volume. */}}
{{- define "machine" -}}
identityRef:
  cloudName: openstack
  name: {{ .root.Values.cloudCredentialsSecretName }}
flavor: {{ .flavor }}
image:
  id: {{ .root.Values.machineImageId }}
{{- with .root.Values.machineSSHKeyName }}
sshKeyName: {{ . }}
{{- end }}
{{- with .volume.diskSize }}
rootVolume:
  sizeGiB: {{ . }}
  {{- with $.volume.volumeType }}
  type: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Name of a template: as with the upstream chart it changes with what is in it, so that machines are replaced. */}}
{{- define "hashed" -}}
{{ .name }}-{{ .spec | sha256sum | trunc 8 }}
{{- end }}
