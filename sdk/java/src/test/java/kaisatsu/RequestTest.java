package kaisatsu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import kaisatsu.model.ImageData;
import kaisatsu.model.TagCandidate;
import org.junit.jupiter.api.Test;

/** What is sent, and what is read of the answer. */
class RequestTest {
    private final FakeTransport transport = new FakeTransport();
    private final Kaisatsu client = transport.client().build();

    private String url() {
        return transport.requests.get(transport.requests.size() - 1).getUrl();
    }

    private String body() {
        return transport.bodies.get(transport.bodies.size() - 1);
    }

    @Test
    void feedbackCanSayWhatItReallyIs() {
        transport.answer(204, "").answer(204, "").answer(204, "");
        client.recognition().feedback("r", true, null, "latte");
        assertEquals("{\"tag\":\"latte\"}", body());
        assertTrue(url().endsWith("/feedback?recognitionId=r&isValid=true"), url());
        client.recognition().feedbackToCandidate("r", "i", false, "no", "latte");
        assertEquals("{\"comment\":\"no\",\"tag\":\"latte\"}", body());
        client.recognition().feedback("r", true, null);
        assertEquals("{}", body());
    }

    @Test
    void thePlaceOfAPictureIsInDegrees() {
        transport.answer(200, "{\"recognitionId\":\"r\",\"jobId\":\"r\",\"candidates\":[{\"tag\":\"東京タワー\","
                + "\"tagId\":\"t\",\"score\":0.9,\"itemId\":\"i\",\"GeoPoint\":{\"lati\":\"35.39.31.0\","
                + "\"longi\":\"139.44.43.0\",\"lati_d\":\"35.65861\",\"longi_d\":\"139.74543\",\"gcs\":\"wgs84\"},"
                + "\"sites\":[{\"title\":\"T\"}]},{\"tag\":\"tower\",\"score\":0.1,\"itemId\":\"j\"}]}");
        Picture picture = Picture.of(new byte[] {1});
        ClassifyOptions where = new ClassifyOptions().latitude(35.6586).longitude(139.7454);
        List<TagCandidate> candidates = client.recognition().classify(picture, where).getCandidates();
        assertTrue(url().endsWith("/concept/classify?lati_d=35.6586&longi_d=139.7454&gcs=wgs84"), url());
        assertTrue(!body().contains("gcs"), body());
        assertEquals(35.65861, candidates.get(0).getGeoPoint().getLatitude());
        assertEquals("T", candidates.get(0).getSites().get(0).getTitle());
        assertNull(candidates.get(1).getGeoPoint());
        assertTrue(candidates.get(1).getSites().isEmpty());
    }

    @Test
    void aDatasetOfTheStorageAreaNamesNoImages() {
        transport.answer(202, "{\"dataSetId\":\"d\",\"state\":\"queued\"}");
        client.datasets().createFromStorage("t", "cups");
        assertEquals("{\"name\":\"cups\",\"from\":\"storage\"}", body());
    }

    @Test
    void aMapCanBeAPdf() {
        transport.answer(200, "%PDF", "Content-Type", "application/pdf");
        ImageData data = client.maps().railmapData(new RailMapDataQuery("tokyo").format("pdf"));
        assertEquals("application/pdf", data.getContentType());
    }
}
