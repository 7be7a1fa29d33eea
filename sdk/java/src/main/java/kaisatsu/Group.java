package kaisatsu;

import java.util.List;
import java.util.Map;
import kaisatsu.http.MultipartBody;

/** What the groups of operations have in common. */
abstract class Group {
    static final String RECOGNITION = "/imageRecognition/v1/";

    final Caller caller;

    Group(Caller caller) {
        this.caller = caller;
    }

    final Answer call(Call call) {
        return caller.call(call);
    }

    /** A form with a picture and the other values as fields. */
    static MultipartBody form(Picture image, Map<String, Object> fields) {
        MultipartBody form = new MultipartBody();
        for (Map.Entry<String, Object> field : fields.entrySet()) {
            form.addField(field.getKey(), field.getValue().toString());
        }
        if (image != null) {
            addPicture(form, image);
        }
        return form;
    }

    static void addPicture(MultipartBody form, Picture image) {
        form.addFile("image", image.name(), image.content());
    }

    static String text(String name, String value) {
        if (value == null) {
            throw new NullPointerException(name + " is missing");
        }
        return value;
    }

    static String join(List<?> values, String between) {
        StringBuilder out = new StringBuilder();
        for (Object value : values) {
            out.append(out.length() == 0 ? "" : between).append(value);
        }
        return out.toString();
    }
}
