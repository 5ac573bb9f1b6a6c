package org.keyline.gateway.otlp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What {@code /metrics} tells, as an ExportMetricsServiceRequest in JSON: the OpenTelemetry protocol 1.x, with 64-bit numbers as texts. Names and
 * labels are those of {@code /metrics}, but for the suffixes that say what kind of figure it is. Immutable.
 */
final class OtlpRequest {
    /** AGGREGATION_TEMPORALITY_CUMULATIVE. */
    private static final int CUMULATIVE = 2;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, String> resource;
    private final String start;

    /**
     * @param resource what the figures are of, as attributes such as {@code service.name}
     * @param started from when on is counted
     */
    OtlpRequest(Map<String, String> resource, Instant started) {
        this.resource = Map.copyOf(resource);
        this.start = nanos(started);
    }

    /** The body of a request with figures of this moment. */
    byte[] body(MetricSnapshots snapshots, Instant now) {
        ObjectNode request = JSON.createObjectNode();
        ObjectNode figures = request.putArray("resourceMetrics").addObject();
        ArrayNode attributes = figures.putObject("resource").putArray("attributes");
        resource.forEach((key, value) -> attribute(attributes, key, value));
        ObjectNode scope = figures.putArray("scopeMetrics").addObject();
        scope.putObject("scope").put("name", "org.keyline");
        ArrayNode metrics = scope.putArray("metrics");
        for (MetricSnapshot snapshot : snapshots) {
            if (snapshot.getDataPoints().isEmpty()) {
                continue;
            }
            ObjectNode metric =
                    metrics.addObject().put("name", snapshot.getMetadata().getPrometheusName());
            if (snapshot.getMetadata().getHelp() != null) {
                metric.put("description", snapshot.getMetadata().getHelp());
            }
            if (snapshot.getMetadata().getUnit() != null) {
                metric.put("unit", snapshot.getMetadata().getUnit().toString());
            }
            data(metric, snapshot, nanos(now));
        }
        try {
            return JSON.writeValueAsBytes(request);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers that are no JSON", e);
        }
    }

    private void data(ObjectNode metric, MetricSnapshot snapshot, String now) {
        if (snapshot instanceof CounterSnapshot counters) {
            ArrayNode points = metric.putObject("sum")
                    .put("aggregationTemporality", CUMULATIVE)
                    .put("isMonotonic", true)
                    .putArray("dataPoints");
            counters.getDataPoints().forEach(point -> since(points, point, now).put("asDouble", point.getValue()));
        } else if (snapshot instanceof GaugeSnapshot gauges) {
            ArrayNode points = metric.putObject("gauge").putArray("dataPoints");
            gauges.getDataPoints().forEach(point -> at(points, point, now).put("asDouble", point.getValue()));
        } else if (snapshot instanceof UnknownSnapshot unknown) {
            ArrayNode points = metric.putObject("gauge").putArray("dataPoints");
            unknown.getDataPoints().forEach(point -> at(points, point, now).put("asDouble", point.getValue()));
        } else if (snapshot instanceof InfoSnapshot info) {
            ArrayNode points = metric.putObject("gauge").putArray("dataPoints");
            info.getDataPoints().forEach(point -> at(points, point, now).put("asDouble", 1));
        } else if (snapshot instanceof SummarySnapshot summaries) {
            ArrayNode points = metric.putObject("summary").putArray("dataPoints");
            summaries.getDataPoints().forEach(point -> {
                ObjectNode summary = since(points, point, now)
                        .put("count", Long.toString(point.getCount()))
                        .put("sum", point.getSum());
                ArrayNode quantiles = summary.putArray("quantileValues");
                point.getQuantiles()
                        .forEach(quantile -> quantiles
                                .addObject()
                                .put("quantile", quantile.getQuantile())
                                .put("value", quantile.getValue()));
            });
        } else if (snapshot instanceof HistogramSnapshot histograms) {
            ArrayNode points = metric.putObject("histogram")
                    .put("aggregationTemporality", CUMULATIVE)
                    .putArray("dataPoints");
            histograms.getDataPoints().forEach(point -> histogram(since(points, point, now), point));
        } else {
            throw new IllegalStateException("no figure is of this kind: " + snapshot.getClass());
        }
    }

    /** The last bucket has no bound. */
    private static void histogram(ObjectNode to, HistogramSnapshot.HistogramDataPointSnapshot point) {
        to.put("count", Long.toString(point.getCount())).put("sum", point.getSum());
        ArrayNode counts = to.putArray("bucketCounts");
        ArrayNode bounds = to.putArray("explicitBounds");
        for (ClassicHistogramBucket bucket : point.getClassicBuckets()) {
            counts.add(Long.toString(bucket.getCount()));
            if (bucket.getUpperBound() != Double.POSITIVE_INFINITY) {
                bounds.add(bucket.getUpperBound());
            }
        }
    }

    private ObjectNode since(ArrayNode points, DataPointSnapshot point, String now) {
        return at(points, point, now).put("startTimeUnixNano", start);
    }

    private static ObjectNode at(ArrayNode points, DataPointSnapshot point, String now) {
        ObjectNode to = points.addObject().put("timeUnixNano", now);
        ArrayNode attributes = to.putArray("attributes");
        Labels labels = point.getLabels();
        for (Label label : labels) {
            attribute(attributes, label.getName(), label.getValue());
        }
        return to;
    }

    private static void attribute(ArrayNode attributes, String key, String value) {
        attributes.addObject().put("key", key).putObject("value").put("stringValue", value);
    }

    private static String nanos(Instant moment) {
        return Long.toString(TimeUnit.SECONDS.toNanos(moment.getEpochSecond()) + moment.getNano());
    }
}
