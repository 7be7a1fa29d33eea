package kaisatsu.story;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import kaisatsu.json.JsonReader;

/**
 * Runs the story of {@code sdk/cases} against the server and the proxy that {@code sdk/cases/run} started.
 * {@code sdk/cases/README.md} describes the steps.
 */
public final class Story {
    private final Map<String, Object> saved = new HashMap<>();
    private int passed;
    private int failed;

    /** Makes the call of a step; the SDK for Android has its own. */
    interface Calling {
        Object call(Map<String, Object> step, Map<String, Object> with, boolean throughProxy) throws Exception;
    }

    private final Calling calling;

    Story(Calling calling) {
        this.calling = calling;
    }

    public static void main(String[] arguments) throws IOException {
        Calling calling = (step, with, throughProxy) -> Calls.call(Clients.of(step, throughProxy), with, step);
        tell(new Story(calling), step -> true);
    }

    static void tell(Story story, Predicate<Map<String, Object>> wanted) throws IOException {
        Path file = Paths.get(env("KAISATSU_CASES"), "story.json");
        for (Object step : (List<?>) JsonReader.read(Files.readAllBytes(file))) {
            if (wanted.test(Plain.object(step))) {
                story.run(Plain.object(step));
            }
        }
        System.out.println(story.passed + " passed, " + story.failed + " failed");
        System.exit(story.failed == 0 && story.passed > 0 ? 0 : 1);
    }

    void save(String name, Object value) {
        saved.put(name, value);
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
        Map<String, Object> with = Plain.object(Expect.resolve(step.get("with"), saved));
        Object result;
        String part;
        try {
            result = calling.call(step, with, faulty);
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
