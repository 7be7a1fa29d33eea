import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.codehaus.mojo.animal_sniffer.SignatureBuilder;
import org.codehaus.mojo.animal_sniffer.SignatureChecker;
import org.codehaus.mojo.animal_sniffer.logging.Logger;

/**
 * Checks that classes use nothing but what an android.jar has. The build of Debian's animal-sniffer has no program for
 * this.
 *
 *     java -cp animal-sniffer.jar:asm.jar AndroidApi.java ANDROID_JAR CLASSES_FOLDER IGNORED_PACKAGE…
 */
public final class AndroidApi {
    public static void main(String[] arguments) throws IOException {
        Findings log = new Findings();
        ByteArrayOutputStream signature = new ByteArrayOutputStream();
        SignatureBuilder builder = new SignatureBuilder(new InputStream[0], signature, log);
        builder.process(new File(arguments[0]));
        builder.close();

        // Lambdas are rewritten by Android's build, so that the class that makes them on a JVM is never called.
        HashSet<String> ignored = new HashSet<>(Arrays.asList("java.lang.invoke.LambdaMetafactory"));
        ignored.addAll(Arrays.asList(arguments).subList(2, arguments.length));
        SignatureChecker checker =
                new SignatureChecker(new ByteArrayInputStream(signature.toByteArray()), ignored, log);
        checker.setSourcePath(Collections.<File>emptyList());
        List<Path> classes;
        try (Stream<Path> files = Files.walk(Paths.get(arguments[1]))) {
            classes = files.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
        }
        int checked = 0;
        for (Path file : classes) {
            // This package is for servers: futures and streams came with API 24.
            if (!file.toString().contains("/kaisatsu/server/")) {
                checker.process(file.toFile());
                checked++;
            }
        }
        boolean unexplained = checker.isSignatureBroken() && log.rewritten == 0;
        if (checked == 0 || log.missing > 0 || unexplained) {
            System.exit(1);
        }
        System.err.println("Android's API: " + checked + " classes use nothing else");
    }

    /** Says what is missing and nothing else. */
    private static final class Findings implements Logger {
        /** What Kotlin's data classes call, and Android's build (D8) replaces for devices that do not have it. */
        private static final Pattern REWRITTEN =
                Pattern.compile("Undefined reference: int (Boolean|Double|Float|Integer|Long)\\.hashCode\\(\\w+\\)$");

        int missing;
        int rewritten;

        @Override
        public void error(String message) {
            if (REWRITTEN.matcher(message).find()) {
                rewritten++;
            } else {
                missing++;
                System.err.println(message);
            }
        }

        @Override
        public void error(String message, Throwable t) {
            error(message);
        }

        @Override
        public void warn(String message) {
            error(message);
        }

        @Override
        public void warn(String message, Throwable t) {
            error(message);
        }

        @Override
        public void info(String message) {}

        @Override
        public void info(String message, Throwable t) {}

        @Override
        public void debug(String message) {}

        @Override
        public void debug(String message, Throwable t) {}
    }
}
