import com.sun.management.OperatingSystemMXBean;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import kaisatsu.Kaisatsu;
import kaisatsu.StationQuery;
import kaisatsu.http.HttpResponse;

/**
 * The overhead of a call beside HttpURLConnection alone: the median of many, of a client that is made anew for each,
 * and the first call of the process.
 */
public final class Bench {
    private static final int CALLS = 400;
    private static final int ROUNDS = 20;

    private interface Work {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        String server = System.getenv("KAISATSU_EXAMPLES_URL");
        String key = System.getenv("KAISATSU_KEY");
        Work client = () -> Kaisatsu.builder(server, key).build().maps().stations(new StationQuery().code(1130208));
        Work bare = () -> {
            String address = server + "/route_service/v1/station?code=1130208&gcs=wgs84";
            HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
            connection.setRequestProperty("X-API-Key", key);
            try (InputStream in = connection.getInputStream()) {
                byte[] piece = new byte[16384];
                while (in.read(piece) >= 0) {
                    continue;
                }
            }
        };
        double first = time(arguments.length > 0 && arguments[0].equals("bare") ? bare : client);
        System.out.printf("first call of the process: %.2f ms%n", first);
        double[] ours = new double[CALLS];
        double[] theirs = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            theirs[i] = time(bare);
            ours[i] = time(client);
        }
        Arrays.sort(ours);
        Arrays.sort(theirs);
        System.out.printf("of which without the network %.3f ms%n", withoutNetwork(server, key));
        System.out.printf("median of %d: client %.3f ms, HttpURLConnection %.3f ms, overhead %.3f ms%n", CALLS,
                ours[CALLS / 2], theirs[CALLS / 2], ours[CALLS / 2] - theirs[CALLS / 2]);
        double bareTime = 0;
        double clientTime = 0;
        for (int round = 0; round < ROUNDS; round++) { // in turns, so that whatever else happens meets both
            bareTime += processorTime(bare) / ROUNDS;
            clientTime += processorTime(client) / ROUNDS;
        }
        System.out.printf("processor time of a call: client %.3f ms, HttpURLConnection %.3f ms, overhead %.3f ms%n",
                clientTime, bareTime, clientTime - bareTime);
    }

    /** Of all threads of the process, which a busy machine does not change. */
    private static double processorTime(Work work) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long start = system.getProcessCpuTime();
        for (int i = 0; i < CALLS / ROUNDS; i++) {
            work.run();
        }
        return (system.getProcessCpuTime() - start) / 1e6 / (CALLS / ROUNDS);
    }

    /** What the library itself does: the request made, the answer read, without anything in between. */
    private static double withoutNetwork(String server, String key) throws Exception {
        String answer = ("{'ResultSet':{'apiVersion':'1','engineVersion':'1','max':'1','offset':'1','Point':["
                + "{'Prefecture':{'code':'13','Name':'東京都'},'GeoPoint':{'gcs':'wgs84','lati':'35.41.23.2',"
                + "'longi':'139.42.1.8','lati_d':'35.689777','longi_d':'139.700500'},'Station':{'code':'1130208',"
                + "'Name':'新宿','Yomi':'しんじゅく','Type':'train'},'RailMap':[{'id':'tokyo'}]}]}}").replace('\'', '"');
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        Kaisatsu client = Kaisatsu.builder(server, key).transport((request, abort) ->
                new HttpResponse(200, Collections.emptyMap(), new ByteArrayInputStream(bytes))).build();
        double[] times = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            times[i] = time(() -> client.maps().stations(new StationQuery().code(1130208)));
        }
        Arrays.sort(times);
        return times[CALLS / 2];
    }

    private static double time(Work work) throws Exception {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }
}
