package kaisatsu.story;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaisatsu.Kaisatsu;
import kaisatsu.json.JsonReader;

/**
 * Runs the story of {@code sdk/cases} against the server and the proxy that {@code sdk/cases/run} started.
 * {@code sdk/cases/README.md} describes the steps.
 */
public final class Story {
    private final Map<String, Object> saved = new HashMap<>();
    private int passed;
    private int failed;

    private Story() {}

    public static void main(String[] arguments) throws IOException {
        Story story = new Story();
        Path file = Paths.get(env("KAISATSU_CASES"), "story.json");
        for (Object step : (List<?>) JsonReader.read(Files.readAllBytes(file))) {
            story.run(Plain.object(step));
        }
        System.out.println(story.passed + " passed, " + story.failed + " failed");
        System.exit(story.failed == 0 && story.passed > 0 ? 0 : 1);
    }

    static String env(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: run this by sdk/cases/run");
        }
        return value;
    }

    private void run(Map<String, Object> step) {
        String wrong;
        try {
            wrong = attempt(step);
        } catch (Exception e) {
            wrong = e.toString();
        }
        if (wrong == null) {
            passed++;
            System.out.println("ok " + step.get("name"));
        } else {
            failed++;
            System.out.println("FAILED " + step.get("name") + ": " + wrong);
        }
    }

    /** Returns null, or what is wrong. */
    private String attempt(Map<String, Object> step) throws Exception {
        boolean faulty = step.containsKey("fault");
        if (faulty) {
            Proxy.set(step.get("fault"));
        }
        Kaisatsu client = Clients.of(Plain.object(step.get("client")), faulty);
        Map<String, Object> with = Plain.object(Expect.resolve(step.get("with"), saved));
        Object result;
        String part;
        try {
            result = Calls.call(client, (String) step.get("call"), with, step);
            part = "expect";
        } catch (kaisatsu.error.KaisatsuException e) {
            result = Plain.error(e);
            part = "error";
        }
        if (!step.containsKey(part)) {
            return "got " + result;
        }
        String wrong = Expect.compare(Plain.object(step.get(part)), result, saved);
        if (wrong == null && faulty) {
            wrong = Proxy.compare(step, saved);
        }
        for (Map.Entry<String, Object> save : Plain.object(step.get("save")).entrySet()) {
            saved.put(save.getKey(), Expect.at(result, (String) save.getValue()));
        }
        return wrong;
    }
}
