package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** The models of a server. */
public final class Models {
    private final List<TaskModels> tasks;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Models(JsonObject json) {
        this.tasks = json.needList("tasks", TaskModels::new);
    }

    /**
     * The models by task.
     *
     * @return an unmodifiable list
     */
    public List<TaskModels> getTasks() {
        return tasks;
    }
}
