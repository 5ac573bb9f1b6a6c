package org.keyline.gateway;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.keyline.gateway.config.ConfigKey;
import org.keyline.gateway.config.ConfigKeys;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Adds the options of configuration keys to a command, and a list of all keys to its help. */
final class KeyHelp implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec command) {
        List<String> keys = new ArrayList<>();
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            if (key.option() != null) {
                command.addOption(option(key));
            }
            keys.add("  " + key.path() + '=' + key.type().label() + " (" + words(key) + ')');
        }
        keys.add("docs/configuration.md describes each key.");
        command.usageMessage()
                .footerHeading("%nKeys of the file and of --set:%n")
                .footer(keys.toArray(String[]::new));
        return command;
    }

    /** Returns a key's option. The option of a flag that is off by default takes no value. */
    private static OptionSpec option(ConfigKey<?> key) {
        OptionSpec.Builder option = OptionSpec.builder(Objects.requireNonNull(key.option()))
                .description(plain(key.sentence()) + (key.variable() == null ? "" : " Or set " + key.variable() + ".")
                        + " (" + words(key) + ")");
        boolean isFlag = "false".equals(key.fallbackWords());
        return isFlag
                ? option.type(Boolean.class).arity("0").build()
                : option.type(String.class).paramLabel(key.type().label()).build();
    }

    private static String words(ConfigKey<?> key) {
        return key.fallbackWords().isEmpty() ? "empty" : plain(key.fallbackWords());
    }

    /** Removes backticks, and escapes percent signs, which picocli reads as a format. */
    private static String plain(String text) {
        return text.replace("`", "").replace("%", "%%");
    }
}
