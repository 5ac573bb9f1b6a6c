package org.keyline.ycsb;

import java.awt.Color;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** The results of an experiment, for output as Markdown, CSV and plots. Confined to one thread. */
final class Figures {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 520;

    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();

    Figures(String... columns) {
        this.columns = List.of(columns);
    }

    /** Returns an empty table whose columns are named by a Markdown line. */
    static Figures of(String line) {
        return new Figures(line.split(" \\| ", -1));
    }

    /** Parses the output of {@link #csv}. */
    static Figures parse(List<String> csv) {
        Figures figures = new Figures(cells(csv.get(0)).toArray(String[]::new));
        for (String line : csv.subList(1, csv.size())) {
            figures.row(cells(line).map(Figures::numberOrText).toArray());
        }
        return figures;
    }

    private static Stream<String> cells(String line) {
        return Stream.of(line.split(",(?=([^\"]*\"[^\"]*\")*[^\"]*$)", -1))
                .map(cell -> cell.replaceAll("^\"|\"$", "").replace("\"\"", "\""));
    }

    private static Object numberOrText(String cell) {
        if (cell.matches("-?\\d{1,18}")) {
            return Long.valueOf(cell);
        }
        return cell.matches("-?[0-9.]+(E-?\\d+)?|NaN") ? Double.valueOf(cell) : cell;
    }

    /** Adds a row. A cell is a text or a {@link Number}; a NaN means no value. */
    Figures row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException("cells: " + cells.length + " (expected: " + columns.size() + ")");
        }
        rows.add(List.of(cells));
        return this;
    }

    /** Adds a row of {@code cells}, and of the {@code numbers} that the further columns name. */
    Figures row(Results numbers, Object... cells) {
        Stream<Object> others = columns.stream().skip(cells.length).map(numbers::get);
        return row(Stream.concat(Stream.of(cells), others).toArray());
    }

    String markdown() {
        String alignments = columns.stream()
                .map(column -> isNumeric(columns.indexOf(column)) ? "--:|" : "---|")
                .collect(Collectors.joining("", "|", "\n"));
        String body = lines(" | ", Figures::readable)
                .lines()
                .map(line -> "| " + line + " |\n")
                .collect(Collectors.joining());
        return body.replaceFirst("\n", "\n" + alignments);
    }

    String csv() {
        return lines(",", Figures::exact);
    }

    private String lines(String separator, Function<Object, String> format) {
        return Stream.concat(Stream.of(columns), rows.stream())
                .map(cells -> cells.stream().map(format).collect(Collectors.joining(separator)) + "\n")
                .collect(Collectors.joining());
    }

    /** Writes {@code name.md} with the conditions above the table, and {@code name.csv}. */
    void write(Path directory, String name, String conditions) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name + ".md"), conditions + "\n\n" + markdown());
        Files.writeString(directory.resolve(name + ".csv"), csv());
    }

    /** Plots a line for each value of the column {@code series}; both axes are logarithmic. */
    void plotLines(Path png, String title, String x, String y, String series) throws IOException {
        XYChart chart = new XYChart(WIDTH, HEIGHT);
        chart.setTitle(title);
        chart.setXAxisTitle(x);
        chart.setYAxisTitle(y);
        Map<String, List<List<Object>>> lines = rows.stream()
                .filter(row -> number(row, x) > 0 && number(row, y) > 0)
                .collect(Collectors.groupingBy(row -> text(row, series), LinkedHashMap::new, Collectors.toList()));
        lines.forEach((name, points) -> chart.addSeries(
                name,
                points.stream().mapToDouble(row -> number(row, x)).toArray(),
                points.stream().mapToDouble(row -> number(row, y)).toArray()));
        chart.getStyler().setXAxisLogarithmic(true).setXAxisLogarithmicDecadeOnly(false);
        chart.getStyler().setYAxisLogarithmic(true).setYAxisLogarithmicDecadeOnly(false);
        save(chart, png, !lines.isEmpty());
    }

    /** Plots a group of bars for each row, with one bar for each of the columns {@code values}. */
    void plotBars(Path png, String title, String group, String y, String... values) throws IOException {
        CategoryChart chart = new CategoryChart(WIDTH, HEIGHT);
        chart.setTitle(title);
        chart.setXAxisTitle(group);
        chart.setYAxisTitle(y);
        List<String> groups = rows.stream().map(row -> text(row, group)).toList();
        for (String value : values) {
            List<@Nullable Double> heights = new ArrayList<>();
            for (List<Object> row : rows) {
                // XChart draws no bar for null. Three digits fit into the label of a bar.
                double height = number(row, value);
                heights.add(height > 0 ? rounded(height, 3).doubleValue() : null);
            }
            chart.addSeries(value, groups, heights);
        }
        chart.getStyler().setLabelsVisible(true).setXAxisLabelRotation(30);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        save(chart, png, !rows.isEmpty());
    }

    private static void save(Chart<? extends AxesChartStyler, ?> chart, Path png, boolean any) throws IOException {
        if (!any) {
            throw new IOException("nothing to plot in " + png.getFileName());
        }
        System.setProperty("java.awt.headless", "true");
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        Files.createDirectories(png.toAbsolutePath().getParent());
        ChartEncoder.saveChart(chart, png.toString(), "png");
    }

    Figures where(String column, String text) {
        Figures some = new Figures(columns.toArray(String[]::new));
        rows.stream().filter(row -> text(row, column).equals(text)).forEach(some.rows::add);
        return some;
    }

    /** Splits the table into tables of one row each. */
    List<Figures> each() {
        return rows.stream()
                .map(row -> new Figures(columns.toArray(String[]::new)).row(row.toArray()))
                .toList();
    }

    Object cell(String column) {
        return rows.get(0).get(index(column));
    }

    /** Returns the first row's number in a column; NaN if there is none. */
    double first(String column) {
        return rows.isEmpty() ? Double.NaN : number(rows.get(0), column);
    }

    /** Returns this table's {@link #first} number divided by the other's; NaN if one is missing. */
    double ratio(Figures other, String column) {
        return first(column) / other.first(column);
    }

    /** Returns the greatest number of a column; NaN if the column has no numbers. */
    double max(String column) {
        return rows.stream().mapToDouble(row -> number(row, column)).max().orElse(Double.NaN);
    }

    private String text(List<Object> row, String column) {
        return row.get(index(column)).toString();
    }

    private double number(List<Object> row, String column) {
        return row.get(index(column)) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private int index(String column) {
        int index = columns.indexOf(column);
        if (index < 0) {
            throw new IllegalArgumentException("column: " + column + " (expected: one of " + columns + ")");
        }
        return index;
    }

    private boolean isNumeric(int column) {
        return rows.stream().map(row -> row.get(column)).allMatch(cell -> cell instanceof Number || cell.equals(""));
    }

    private static String readable(Object cell) {
        if (!(cell instanceof Number number)) {
            return cell.toString().replace("|", "\\|");
        }
        double value = number.doubleValue();
        if (Double.isNaN(value)) {
            return "";
        }
        boolean whole = !(number instanceof Double) || Math.abs(value) >= 100;
        String format = whole ? "%,.0f" : Math.abs(value) >= 0.1 || value == 0 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }

    private static String exact(Object cell) {
        if (cell instanceof Double number) {
            return number.isNaN() ? "" : rounded(number, 6).stripTrailingZeros().toPlainString();
        }
        String text = cell.toString();
        return text.contains(",") || text.contains("\"") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    private static BigDecimal rounded(double number, int digits) {
        return BigDecimal.valueOf(number).round(new MathContext(digits));
    }
}
