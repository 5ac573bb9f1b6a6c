package org.keyline.ycsb;

import java.io.IOException;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.MeasurementsExporter;

/** Counts the operations that succeeded, by what YCSB has measured; its own operations count, verifications do not. */
final class Succeeded implements MeasurementsExporter {
    private static final int FAILED = 1;

    private long operations;

    private Succeeded() {}

    /** Ends the process with status 1 if no operation of it succeeded; for a shutdown hook. */
    static void haltIfNothing() {
        if (operations() == 0) {
            System.err.println("no operation succeeded");
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private static long operations() {
        Succeeded counted = new Succeeded();
        try {
            Measurements.getMeasurements().exportMeasurements(counted);
        } catch (IOException | RuntimeException nothingMeasured) {
            // YCSB makes what it measures with from the properties, which it did not come to read.
            return 0;
        }
        return counted.operations;
    }

    @Override
    public void write(String metric, String measurement, int count) {
        add(metric, measurement, count);
    }

    @Override
    public void write(String metric, String measurement, long count) {
        add(metric, measurement, count);
    }

    @Override
    public void write(String metric, String measurement, double figure) {
        // An average or a percentile.
    }

    private void add(String metric, String measurement, long count) {
        if (measurement.equals("Return=OK") && !metric.equals("VERIFY")) {
            operations += count;
        }
    }

    @Override
    public void close() {}
}
