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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** The results of an experiment, for Markdown, CSV and plots. Confined to one thread. */
final class Figures {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 520;
    private static final Pattern CSV_CELL = Pattern.compile("\"((?:[^\"]|\"\")*)\"|([^,]*)");

    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();

    Figures(String... columns) {
        this.columns = List.of(columns);
    }

    /** Parses the output of {@link #csv}. */
    static Figures parse(List<String> csv) {
        if (csv.isEmpty()) {
            throw new IllegalArgumentException("a CSV without lines");
        }
        Figures figures = new Figures(cells(csv.get(0)).toArray(String[]::new));
        for (String line : csv.subList(1, csv.size())) {
            figures.row(cells(line).stream().map(Figures::numberOrText).toArray());
        }
        return figures;
    }

    /** Adds a row. A cell is a text or a {@link Number}; a NaN means no value. */
    Figures row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException("cells: " + cells.length + " (expected: " + columns.size() + ")");
        }
        rows.add(List.of(cells));
        return this;
    }

    String markdown() {
        StringBuilder table = new StringBuilder("| ").append(String.join(" | ", columns));
        table.append(" |\n|");
        for (int column = 0; column < columns.size(); column++) {
            table.append(isNumeric(column) ? "--:|" : "---|");
        }
        for (List<Object> row : rows) {
            table.append("\n| ");
            table.append(row.stream().map(Figures::readable).collect(Collectors.joining(" | ")));
            table.append(" |");
        }
        return table.append('\n').toString();
    }

    String csv() {
        StringBuilder text =
                new StringBuilder(columns.stream().map(Figures::exact).collect(Collectors.joining(",")));
        for (List<Object> row : rows) {
            text.append('\n').append(row.stream().map(Figures::exact).collect(Collectors.joining(",")));
        }
        return text.append('\n').toString();
    }

    /** Writes {@code name.md} with the conditions above the table, and {@code name.csv}. */
    void write(Path directory, String name, String conditions) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name + ".md"), conditions + "\n\n" + markdown());
        Files.writeString(directory.resolve(name + ".csv"), csv());
    }

    /** Plots a line for each value of the column {@code series}; both axes are logarithmic. */
    void plotLines(Path png, String title, String x, String y, String series) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
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
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(group)
                .yAxisTitle(y)
                .build();
        List<String> groups = rows.stream().map(row -> text(row, group)).toList();
        for (String value : values) {
            // XChart draws no bar for null.
            List<@Nullable Double> heights = new ArrayList<>();
            for (List<Object> row : rows) {
                heights.add(number(row, value) > 0 ? rounded(number(row, value)) : null);
            }
            chart.addSeries(value, groups, heights);
        }
        chart.getStyler().setLabelsVisible(true).setXAxisLabelRotation(30);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        save(chart, png, !rows.isEmpty());
    }

    /** Rounds to three significant digits, because no more fit into the label of a bar. */
    private static double rounded(double number) {
        return BigDecimal.valueOf(number).round(new MathContext(3)).doubleValue();
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
        List<Figures> each = new ArrayList<>();
        for (List<Object> row : rows) {
            each.add(new Figures(columns.toArray(String[]::new)).row(row.toArray()));
        }
        return each;
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
        return rows.stream()
                .mapToDouble(row -> number(row, column))
                .filter(number -> !Double.isNaN(number))
                .max()
                .orElse(Double.NaN);
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
            return number.isNaN()
                    ? ""
                    : BigDecimal.valueOf(number)
                            .round(new MathContext(6))
                            .stripTrailingZeros()
                            .toPlainString();
        }
        String text = cell.toString();
        return text.contains(",") || text.contains("\"") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        Matcher matcher = CSV_CELL.matcher(line);
        for (int from = 0; from <= line.length(); from = matcher.end() + 1) {
            if (!matcher.find(from) || matcher.start() != from) {
                throw new IllegalArgumentException("not CSV: " + line);
            }
            cells.add(matcher.group(1) != null ? matcher.group(1).replace("\"\"", "\"") : matcher.group(2));
        }
        return cells;
    }

    private static Object numberOrText(String cell) {
        try {
            return cell.matches("-?\\d{1,18}") ? (Object) Long.valueOf(cell) : Double.valueOf(cell);
        } catch (NumberFormatException notNumber) {
            return cell;
        }
    }
}
