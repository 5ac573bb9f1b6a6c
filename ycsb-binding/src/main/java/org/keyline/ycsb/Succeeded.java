package org.keyline.ycsb;

import java.io.IOException;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.MeasurementsExporter;

/** Counts the successful operations in YCSB's measurements, without verifications. */
final class Succeeded implements MeasurementsExporter {
    private static final int FAILED = 1;

    private long operations;

    private Succeeded() {}

    /** Changes the exit status to 1 if no operation succeeded. Runs as a shutdown hook. */
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
            // YCSB terminated before it read the properties, from which it creates its
            // measurements.
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
        // Ignores averages and percentiles.
    }

    private void add(String metric, String measurement, long count) {
        if (measurement.equals("Return=OK") && !metric.equals("VERIFY")) {
            operations += count;
        }
    }

    @Override
    public void close() {}
}
