package org.keyline.gateway.otlp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What {@code /metrics} tells, as an ExportMetricsServiceRequest in JSON: the OpenTelemetry protocol 1.x, with 64-bit numbers as texts. Names and
 * labels are those of {@code /metrics}, but for the suffixes that say what kind of figure it is. Immutable.
 */
final class OtlpRequest {
    /** AGGREGATION_TEMPORALITY_CUMULATIVE. */
    private static final int CUMULATIVE = 2;

    private static final JsonFactory JSON = new JsonFactory();

    private static final int USUAL_BYTES = 1 << 16;

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
        ByteArrayOutputStream body = new ByteArrayOutputStream(USUAL_BYTES);
        // There are thousands of numbers: a tree of them would cost more than what is told.
        try (JsonGenerator to = JSON.createGenerator(body)) {
            to.writeStartObject();
            to.writeArrayFieldStart("resourceMetrics");
            to.writeStartObject();
            to.writeObjectFieldStart("resource");
            to.writeArrayFieldStart("attributes");
            for (Map.Entry<String, String> attribute : resource.entrySet()) {
                attribute(to, attribute.getKey(), attribute.getValue());
            }
            to.writeEndArray();
            to.writeEndObject();
            to.writeArrayFieldStart("scopeMetrics");
            to.writeStartObject();
            to.writeObjectFieldStart("scope");
            to.writeStringField("name", "org.keyline");
            to.writeEndObject();
            to.writeArrayFieldStart("metrics");
            String moment = nanos(now);
            for (MetricSnapshot snapshot : snapshots) {
                if (!snapshot.getDataPoints().isEmpty()) {
                    metric(to, snapshot, moment);
                }
            }
            to.writeEndArray();
            to.writeEndObject();
            to.writeEndArray();
            to.writeEndObject();
            to.writeEndArray();
            to.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("texts and numbers that are no JSON", e);
        }
        return body.toByteArray();
    }

    private void metric(JsonGenerator to, MetricSnapshot snapshot, String now) throws IOException {
        to.writeStartObject();
        to.writeStringField("name", snapshot.getMetadata().getPrometheusName());
        if (snapshot.getMetadata().getHelp() != null) {
            to.writeStringField("description", snapshot.getMetadata().getHelp());
        }
        if (snapshot.getMetadata().getUnit() != null) {
            to.writeStringField("unit", snapshot.getMetadata().getUnit().toString());
        }
        data(to, snapshot, now);
        to.writeEndObject();
    }

    private void data(JsonGenerator to, MetricSnapshot snapshot, String now) throws IOException {
        if (snapshot instanceof CounterSnapshot counters) {
            to.writeObjectFieldStart("sum");
            to.writeNumberField("aggregationTemporality", CUMULATIVE);
            to.writeBooleanField("isMonotonic", true);
            points(to, counters.getDataPoints(), point -> number(to, point, now, true, point.getValue()));
        } else if (snapshot instanceof GaugeSnapshot gauges) {
            to.writeObjectFieldStart("gauge");
            points(to, gauges.getDataPoints(), point -> number(to, point, now, false, point.getValue()));
        } else if (snapshot instanceof UnknownSnapshot unknown) {
            to.writeObjectFieldStart("gauge");
            points(to, unknown.getDataPoints(), point -> number(to, point, now, false, point.getValue()));
        } else if (snapshot instanceof InfoSnapshot info) {
            to.writeObjectFieldStart("gauge");
            points(to, info.getDataPoints(), point -> number(to, point, now, false, 1));
        } else if (snapshot instanceof SummarySnapshot summaries) {
            to.writeObjectFieldStart("summary");
            points(to, summaries.getDataPoints(), point -> summary(to, point, now));
        } else if (snapshot instanceof HistogramSnapshot histograms) {
            to.writeObjectFieldStart("histogram");
            to.writeNumberField("aggregationTemporality", CUMULATIVE);
            points(to, histograms.getDataPoints(), point -> histogram(to, point, now));
        } else {
            throw new IllegalStateException("no figure is of this kind: " + snapshot.getClass());
        }
        to.writeEndObject();
    }

    /** Writes one data point. */
    private interface PointWriter<P> {
        void write(P point) throws IOException;
    }

    private static <P> void points(JsonGenerator to, List<P> points, PointWriter<P> writer) throws IOException {
        to.writeArrayFieldStart("dataPoints");
        for (P point : points) {
            to.writeStartObject();
            writer.write(point);
            to.writeEndObject();
        }
        to.writeEndArray();
    }

    private void number(JsonGenerator to, DataPointSnapshot point, String now, boolean counted, double value)
            throws IOException {
        at(to, point, now, counted);
        to.writeNumberField("asDouble", value);
    }

    private void summary(JsonGenerator to, SummarySnapshot.SummaryDataPointSnapshot point, String now)
            throws IOException {
        at(to, point, now, true);
        to.writeStringField("count", Long.toString(point.getCount()));
        to.writeNumberField("sum", point.getSum());
        to.writeArrayFieldStart("quantileValues");
        for (Quantile quantile : point.getQuantiles()) {
            to.writeStartObject();
            to.writeNumberField("quantile", quantile.getQuantile());
            to.writeNumberField("value", quantile.getValue());
            to.writeEndObject();
        }
        to.writeEndArray();
    }

    /** The last bucket has no bound. */
    private void histogram(JsonGenerator to, HistogramSnapshot.HistogramDataPointSnapshot point, String now)
            throws IOException {
        at(to, point, now, true);
        to.writeStringField("count", Long.toString(point.getCount()));
        to.writeNumberField("sum", point.getSum());
        to.writeArrayFieldStart("bucketCounts");
        for (ClassicHistogramBucket bucket : point.getClassicBuckets()) {
            to.writeString(Long.toString(bucket.getCount()));
        }
        to.writeEndArray();
        to.writeArrayFieldStart("explicitBounds");
        for (ClassicHistogramBucket bucket : point.getClassicBuckets()) {
            if (bucket.getUpperBound() != Double.POSITIVE_INFINITY) {
                to.writeNumber(bucket.getUpperBound());
            }
        }
        to.writeEndArray();
    }

    /** @param counted whether it is counted since the start */
    private void at(JsonGenerator to, DataPointSnapshot point, String now, boolean counted) throws IOException {
        to.writeStringField("timeUnixNano", now);
        if (counted) {
            to.writeStringField("startTimeUnixNano", start);
        }
        to.writeArrayFieldStart("attributes");
        for (Label label : point.getLabels()) {
            attribute(to, label.getName(), label.getValue());
        }
        to.writeEndArray();
    }

    private static void attribute(JsonGenerator to, String key, String value) throws IOException {
        to.writeStartObject();
        to.writeStringField("key", key);
        to.writeObjectFieldStart("value");
        to.writeStringField("stringValue", value);
        to.writeEndObject();
        to.writeEndObject();
    }

    private static String nanos(Instant moment) {
        return Long.toString(TimeUnit.SECONDS.toNanos(moment.getEpochSecond()) + moment.getNano());
    }
}
