package kaisatsu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import kaisatsu.error.BadRequestException;
import kaisatsu.error.ConflictException;
import kaisatsu.error.DataSetFailedException;
import kaisatsu.error.ForbiddenException;
import kaisatsu.error.KaisatsuException;
import kaisatsu.error.MalformedAnswerException;
import kaisatsu.error.NotFoundException;
import kaisatsu.error.RateLimitedException;
import kaisatsu.error.ServerErrorException;
import kaisatsu.error.TooLargeException;
import kaisatsu.error.UnauthorisedException;
import kaisatsu.error.UnavailableException;
import org.junit.jupiter.api.Test;

class ErrorTest {
    private final FakeTransport transport = new FakeTransport();

    private KaisatsuException failure(int status, String body) {
        transport.answer(status, body, "X-Request-Id", "id-1");
        Kaisatsu client = transport.client().attempts(1).build();
        return assertThrows(KaisatsuException.class, () -> client.recognition().models());
    }

    @Test
    void everyStatusHasItsType() {
        Object[][] types = {
            {400, BadRequestException.class}, {401, UnauthorisedException.class}, {403, ForbiddenException.class},
            {404, NotFoundException.class}, {405, BadRequestException.class}, {409, ConflictException.class},
            {413, TooLargeException.class}, {415, BadRequestException.class}, {418, BadRequestException.class},
            {429, RateLimitedException.class}, {500, ServerErrorException.class}, {502, ServerErrorException.class},
            {503, UnavailableException.class}, {302, MalformedAnswerException.class}};
        for (Object[] type : types) {
            assertEquals(type[1], failure((Integer) type[0], "").getClass(), "status " + type[0]);
        }
    }

    @Test
    void whatTheServerSaid() {
        KaisatsuException e = failure(400, "{\"error\":{\"code\":\"109\",\"message\":\"classify: no such model\"}}");
        assertEquals("109", e.getCode());
        assertEquals("classify: no such model", e.getMessage());
        assertEquals("id-1", e.getRequestId());
        assertEquals(400, e.getStatus());
        e = failure(404, "{\"ResultSet\":{\"apiVersion\":\"1\",\"Error\":{\"code\":\"W404\",\"Message\":\"no map\"}}}");
        assertEquals("W404", e.getCode());
        assertEquals("no map", e.getMessage());
    }

    @Test
    void failuresThatAreNotOfThisServer() {
        for (String page : new String[] {"<html>Bad gateway</html>", "", "[]", "{\"error\":\"x\"}", "\"\\ud800\""}) {
            KaisatsuException e = failure(502, page);
            assertEquals(ServerErrorException.class, e.getClass());
            assertNull(e.getCode());
            assertTrue(e.getMessage().contains("502"));
        }
    }

    @Test
    void answersThatAreNotInTheContract() {
        for (String wrong : new String[] {"", "<html>", "[]", "{}", "{\"tasks\":1}", "{\"tasks\":[1]}",
            "{\"tasks\":[{\"task\":\"t\"}]}"}) {
            KaisatsuException e = failure(200, wrong);
            assertEquals(MalformedAnswerException.class, e.getClass(), wrong);
            assertEquals(200, e.getStatus());
            assertEquals("id-1", e.getRequestId());
        }
    }

    @Test
    void everyErrorSaysWhenToTryAgainWhereTheServerDoes() {
        for (int status : new int[] {400, 403, 409, 429, 500, 503}) {
            transport.answer(status, "", "Retry-After", "7");
            Kaisatsu client = transport.client().attempts(1).build();
            KaisatsuException e = assertThrows(KaisatsuException.class, () -> client.recognition().models());
            assertEquals(7.0, e.getRetryAfter(), "status " + status);
            assertNull(failure(status, "").getRetryAfter());
        }
    }

    @Test
    void aPictureMustBeOne() {
        transport.answer(200, "{}", "Content-Type", "application/json");
        assertThrows(MalformedAnswerException.class,
                () -> transport.client().build().maps().railmapData(new RailMapDataQuery("tokyo")));
    }

    @Test
    void waitingForADatasetTellsHowFarItIs() {
        String wire = "{\"dataSetId\":\"d\",\"name\":\"n\",\"since\":\"\",\"createdAt\":\"\",\"model\":\"m\","
                + "\"progress\":{\"total\":4,\"done\":DONE,\"pending\":0,\"fetched\":0,\"tooLarge\":0,\"notAnImage\":0,"
                + "\"notFound\":0,\"timedOut\":0,\"denied\":0,\"overQuota\":0,\"failed\":0},\"reason\":\"no tag\","
                + "\"state\":\"STATE\"}";
        transport.answer(200, wire.replace("DONE", "1").replace("STATE", "building"))
                .answer(200, wire.replace("DONE", "4").replace("STATE", "failed"));
        StringBuilder seen = new StringBuilder();
        DataSetFailedException e = assertThrows(DataSetFailedException.class, () -> transport.client().build()
                .datasets().waitUntilReady("t", "d", 60_000, d -> seen.append(d.getProgress().getDone()).append(' ')));
        assertEquals("1 4 ", seen.toString());
        assertEquals("no tag", e.getReason());
        assertEquals("d", e.getDataSetId());
        assertEquals("dataset d could not be built: no tag", e.getMessage());
        assertEquals("failed", e.getDataSet().getState());
        assertTrue(transport.bodies.get(0).contains("\"limit\":0"));
    }

    @Test
    void mistakesOfTheCallerAreFoundBeforeAnythingIsSent() {
        assertThrows(IllegalArgumentException.class, () -> Kaisatsu.builder("server.example", "k"));
        assertThrows(IllegalArgumentException.class, () -> Kaisatsu.builder("ftp://server.example", "k"));
        assertThrows(NullPointerException.class, () -> Kaisatsu.builder("http://server.example", null));
        assertThrows(NullPointerException.class, () -> new RailMapQuery(null));
        assertThrows(NullPointerException.class, () -> transport.client().build().images().delete(null, "i"));
        assertThrows(IllegalArgumentException.class, () -> Picture.of(new java.io.File("/nowhere.png")));
        assertEquals(0, transport.requests.size());
    }
}
