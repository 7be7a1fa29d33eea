package kaisatsu.story;

import java.util.Map;
import kaisatsu.Kaisatsu;
import kaisatsu.KeyIn;

/** Makes the client that a step asks for. */
final class Clients {
    private Clients() {}

    static Kaisatsu of(Map<String, Object> step, boolean throughProxy) {
        Kaisatsu.Builder builder = Kaisatsu.builder(address(throughProxy), key(step));
        configure(builder, step);
        return builder.build();
    }

    static String address(boolean throughProxy) {
        return Story.env(throughProxy ? "KAISATSU_PROXY" : "KAISATSU_URL");
    }

    static void configure(Kaisatsu.Builder builder, Map<String, Object> step) {
        Map<String, Object> how = Plain.object(step.get("client"));
        Object keyIn = how.containsKey("keyIn") ? how.get("keyIn") : Story.env("KAISATSU_KEY_IN");
        builder.keyIn("query".equals(keyIn) ? KeyIn.QUERY : KeyIn.HEADER);
        if (how.containsKey("timeout")) {
            builder.timeout(((Number) how.get("timeout")).doubleValue());
        }
        if (how.containsKey("totalTimeout")) {
            builder.totalTimeout(((Number) how.get("totalTimeout")).doubleValue());
        }
        if (how.containsKey("attempts")) {
            builder.attempts(((Number) how.get("attempts")).intValue());
        }
        if (how.containsKey("maxAnswerBytes")) {
            builder.maxAnswerBytes(((Number) how.get("maxAnswerBytes")).longValue());
        }
    }

    static String key(Map<String, Object> step) {
        String scope = (String) Plain.object(step.get("client")).get("key");
        switch (scope == null ? "standard" : scope) {
            case "standard":
                return Story.env("KAISATSU_KEY");
            case "restricted":
                return Story.env("KAISATSU_RESTRICTED_KEY");
            case "operator":
                return Story.env("KAISATSU_OPERATOR_KEY");
            case "wrong":
                return "kai_wrong";
            default:
                throw new IllegalArgumentException("no key of the scope " + scope);
        }
    }
}
