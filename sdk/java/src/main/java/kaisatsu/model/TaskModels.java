package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** The models of a task. */
public final class TaskModels {
    private final String task;
    private final List<Model> models;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public TaskModels(JsonObject json) {
        this.task = json.needString("task");
        this.models = json.needList("models", Model::new);
    }

    /**
     * What they do.
     *
     * @return the value
     */
    public String getTask() {
        return task;
    }

    /**
     * The models.
     *
     * @return an unmodifiable list
     */
    public List<Model> getModels() {
        return models;
    }
}
