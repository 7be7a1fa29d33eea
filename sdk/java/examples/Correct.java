import java.io.File;
import kaisatsu.Kaisatsu;
import kaisatsu.Picture;
import kaisatsu.model.Classification;
import kaisatsu.model.TagCandidate;

/** Recognises a picture and says which candidate was right and which was wrong. */
public class Correct {
    public static void main(String[] arguments) {
        Kaisatsu kaisatsu = Kaisatsu.builder(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_KEY")).build();
        Picture picture = Picture.of(new File(arguments[0]));
        String right = arguments[1];
        Classification answer = kaisatsu.recognition().classify(picture);
        for (TagCandidate candidate : answer.getCandidates()) {
            boolean isRight = candidate.getTag().equals(right);
            String comment = isRight ? null : "it is " + right;
            kaisatsu.recognition().feedbackToCandidate(
                    answer.getRecognitionId(), candidate.getItemId(), isRight, comment);
            System.out.println(candidate.getTag() + ": " + (isRight ? "right" : "wrong"));
        }
        for (TagCandidate candidate : kaisatsu.recognition().classify(picture).getCandidates()) {
            System.out.printf("now %s: %.3f%n", candidate.getTag(), candidate.getScore());
        }
    }
}
