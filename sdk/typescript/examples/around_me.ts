// Which stations are around me?
import { env } from 'node:process';
import { Kaisatsu } from 'kaisatsu-client';

const kaisatsu = new Kaisatsu({ baseUrl: env.KAISATSU_URL!, key: env.KAISATSU_KEY! });
const near = await kaisatsu.maps.stationNear({ latitude: 35.6812, longitude: 139.7671, radius: 800, limit: 5 });
for (const station of near.points) {
  console.log(`${station.name} (${station.yomi}): ${station.distance} m`);
}
