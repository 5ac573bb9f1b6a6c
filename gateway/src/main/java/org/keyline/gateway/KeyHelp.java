package org.keyline.gateway;

import java.util.Objects;
import org.keyline.gateway.config.ConfigKey;
import org.keyline.gateway.config.ConfigKeys;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What the help of a command tells of configuration keys: an option for each that has one, and a list of all. */
final class KeyHelp {
    private KeyHelp() {}

    static void addTo(CommandSpec command) {
        StringBuilder all = new StringBuilder("%nKeys of the file and of --set:%n");
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            if (key.option() != null) {
                command.addOption(option(key));
            }
            all.append("  ").append(key.path()).append('=').append(key.type().label());
            all.append(" (").append(words(key)).append(")%n");
        }
        command.usageMessage()
                .footer(all.append("docs/configuration.md says what each is for.")
                        .toString());
    }

    /** The option of a flag that is off by default switches it on, and has no value. */
    private static OptionSpec option(ConfigKey<?> key) {
        OptionSpec.Builder option = OptionSpec.builder(Objects.requireNonNull(key.option()))
                .description(plain(key.sentence()) + (key.variable() == null ? "" : " Or set " + key.variable() + ".")
                        + " (" + words(key) + ")");
        boolean isFlag = "false".equals(key.fallback());
        return isFlag
                ? option.type(Boolean.class).arity("0").build()
                : option.type(String.class).paramLabel(key.type().label()).build();
    }

    private static String words(ConfigKey<?> key) {
        return key.fallbackWords().isEmpty() ? "empty" : plain(key.fallbackWords());
    }

    /** Without Markdown, and without what picocli takes for a format. */
    private static String plain(String text) {
        return text.replace("`", "").replace("%", "%%");
    }
}
