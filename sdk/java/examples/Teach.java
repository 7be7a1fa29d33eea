import java.io.File;
import java.util.ArrayList;
import java.util.List;
import kaisatsu.ClassifyOptions;
import kaisatsu.ImageReference;
import kaisatsu.Kaisatsu;
import kaisatsu.Picture;
import kaisatsu.model.Classification;
import kaisatsu.model.UploadedImage;

/** Teaches three things by the pictures of a folder, disc-1.png and so on, and asks about another picture. */
public class Teach {
    public static void main(String[] arguments) {
        Kaisatsu kaisatsu = Kaisatsu.builder(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_KEY")).build();
        File folder = new File(arguments[0]);
        // On your server. An app has a restricted key, and gets the token of its user from your server.
        String token = kaisatsu.datasets().getToken("alice").getToken();

        List<ImageReference> images = new ArrayList<>();
        for (String tag : new String[] {"disc", "stripes", "checks"}) {
            for (int number = 1; number <= 4; number++) {
                Picture picture = Picture.of(new File(folder, tag + "-" + number + ".png"));
                UploadedImage stored = kaisatsu.images().upload(token, picture, tag);
                images.add(ImageReference.stored(stored.getImageId(), tag));
            }
        }
        String dataSetId = kaisatsu.datasets().create(token, "shapes", images).getDataSetId();
        kaisatsu.datasets().waitUntilReady(token, dataSetId, 600_000, now -> System.out.println(
                now.getState() + ": " + now.getProgress().getDone() + " of " + now.getProgress().getTotal()));

        Classification answer = kaisatsu.recognition().classify(
                Picture.of(new File(folder, "stripes-5.png")), new ClassifyOptions().dataSetId(dataSetId).token(token));
        System.out.println("It is " + answer.getCandidates().get(0).getTag());
        kaisatsu.datasets().delete(token, dataSetId);
    }
}
