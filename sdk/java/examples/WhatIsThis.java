import java.io.File;
import kaisatsu.DetectOptions;
import kaisatsu.Kaisatsu;
import kaisatsu.Picture;
import kaisatsu.model.TagCandidate;
import kaisatsu.model.ThingCandidate;

/** What is this, and what is where in the picture? */
public class WhatIsThis {
    public static void main(String[] arguments) {
        Kaisatsu kaisatsu = Kaisatsu.builder(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_KEY")).build();
        Picture picture = Picture.of(new File(arguments[0]));
        TagCandidate best = kaisatsu.recognition().classify(picture).getCandidates().get(0);
        System.out.printf("%s: %.0f%%%n", best.getTag(), best.getScore() * 100);
        DetectOptions sure = new DetectOptions().minScore(0.5);
        for (ThingCandidate thing : kaisatsu.recognition().detect(picture, sure).getCandidates()) {
            System.out.printf("%s from %.0f, %.0f to %.0f, %.0f%n", thing.getTag(), thing.getXMin(), thing.getYMin(),
                    thing.getXMax(), thing.getYMax());
        }
    }
}
