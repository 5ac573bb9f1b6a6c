{{- define "keyline.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{- define "keyline.selector" -}}
app.kubernetes.io/name: keyline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "keyline.labels" -}}
{{ include "keyline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* keyline.yaml: the given values, and those that only the chart knows. */ -}}
{{- define "keyline.config" -}}
{{- $url := required "config.store.url is required, such as mysql://mariadb.db.svc:3306" .Values.config.store.url -}}
{{- if not (hasPrefix "mysql://" $url) -}}
{{- fail (printf "config.store.url: %s (expected: mysql://HOST:PORT, since a Deployment keeps no data)" $url) -}}
{{- end -}}
{{- $own := dict
      "listen" "0.0.0.0:9030"
      "http" "0.0.0.0:9031"
      "drainDelay" (printf "%ds" (int .Values.drain.delaySeconds))
      "drainTimeout" (printf "%ds" (int .Values.drain.timeoutSeconds)) -}}
{{- if .Values.secrets.tls.name -}}
{{- $_ := set $own "tls" (dict "certificate" "/etc/keyline-tls/tls.crt" "key" "/etc/keyline-tls/tls.key") -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $own) -}}
{{- end -}}

{{- /* Health is served by HTTPS if tls.http is set. */ -}}
{{- define "keyline.scheme" -}}
{{- if dig "tls" "http" false .Values.config }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}
