/** What the console takes of the map library, in a file of its own that is loaded beside the rest. */
export { Map, prewarm, setWorkerUrl } from 'maplibre-gl';
