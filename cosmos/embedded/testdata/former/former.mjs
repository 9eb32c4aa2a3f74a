// The last release of the former JavaScript SDK's repository, @azure/cosmos 3.2.0, against the
// engine over TLS. Its checks are those in which it differs from the SDK of witness.mjs, and
// follow that repository's own tests. It needs an engine whose containers have several feed
// ranges, as conformance/javascript.go starts it:
//
//   WITNESS_wide  its endpoint
//   WITNESS_KEY   its key
//
// Every check prints a line; the last line counts them. The exit code says whether all passed.

import assert from "node:assert/strict";
import cosmos from "@azure/cosmos";

const { CosmosClient } = cosmos;
const endpoint = process.env.WITNESS_wide;
const key = process.env.WITNESS_KEY;
const client = new CosmosClient({ endpoint, key });

// observed is a client that reports each request before it is sent.
const observed = (see) =>
  new CosmosClient({ endpoint, key, plugins: [{ on: "request", plugin: (context, next) => (see(context), next(context)) }] });

const checks = [];
const check = (name, run) => checks.push({ name, run });

async function refused(promise, code, substatus) {
  const error = await promise.then(
    () => assert.fail(`expected ${code}`),
    (error) => error,
  );
  if (error instanceof assert.AssertionError) throw error;
  assert.equal(error.code, code, error.message ?? error.body);
  if (substatus !== undefined) assert.equal(error.substatus, substatus);
}

const { database } = await client.databases.createIfNotExists({ id: "former" });
let made = 0;
const container = async (definition = {}, options) =>
  (await database.containers.create({ id: `c${++made}`, partitionKey: { paths: ["/key"] }, ...definition }, options)).container;

check("container: without a partition key, one of its own", async () => {
  const { resource } = await database.containers.create({ id: "default" });
  assert.deepEqual(resource.partitionKey.paths, ["/_partitionKey"]);
  const c = database.container("default");
  await c.items.create({ id: "1" });
  assert.equal((await c.item("1", undefined).read()).resource.id, "1");
  assert.equal((await c.items.readAll().fetchAll()).resources.length, 1);
});

check("container: each indexing policy excludes the etag", async () => {
  for (const indexingPolicy of [undefined, {}, { indexingMode: "lazy", automatic: true }, { includedPaths: [{ path: "/*" }] }]) {
    const { resource } = await (await container({ indexingPolicy })).read();
    assert.deepEqual(resource.indexingPolicy.includedPaths, [{ path: "/*" }]);
    assert.deepEqual(resource.indexingPolicy.excludedPaths, [{ path: '/"_etag"/?' }]);
  }
  const { resource } = await (await container({ indexingPolicy: { includedPaths: [{ path: "/*" }], excludedPaths: [{ path: '/"systemMetadata"/*' }] } })).read();
  assert.deepEqual(resource.indexingPolicy.excludedPaths.map((p) => p.path), ['/"systemMetadata"/*', '/"_etag"/?']);
});

check("container: a time to live of null, 0 or -10 is refused", async () => {
  for (const defaultTtl of [null, 0, -10]) await refused(container({ defaultTtl }), 400);
  const c = await container({ defaultTtl: 5 });
  for (const ttl of [null, 0, -10]) await refused(c.items.create({ id: "1", key: "a", ttl }), 400);
});

check("container: the answer to its creation has no session token", async () => {
  const created = await database.containers.create({ id: "token", partitionKey: { paths: ["/key"] } });
  assert.equal(created.headers["x-ms-session-token"], undefined);
  assert.ok((await created.container.items.create({ id: "1", key: "a" })).headers["x-ms-session-token"]);
});

check("container: partition statistics and usage on request", async () => {
  const c = await container();
  await c.items.create({ id: "1", key: "a" });
  const { resource } = await c.read({ initialHeaders: { "x-ms-documentdb-populatepartitionstatistics": "true" } });
  assert.equal(resource.statistics.length, 3);
  assert.equal(resource.statistics.reduce((n, range) => n + range.documentCount, 0), 1);
  const { headers } = await c.read({ populateQuotaInfo: true });
  assert.ok(headers["x-ms-documentdb-collection-index-transformation-progress"]);
});

check("container: without a partition key, created by an older API version", async () => {
  const old = observed((context) => {
    context.headers["x-ms-version"] = "2018-06-18";
    if (context.resourceType === "colls" && context.method === "POST") context.body = JSON.stringify({ id: "np" });
  });
  const { resource } = await old.database("former").containers.create({ id: "np" });
  assert.equal(resource.partitionKey, undefined);
  const c = database.container("np");
  assert.equal((await c.read()).resource.partitionKey.systemKey, true);
  assert.deepEqual((await c.items.readAll().fetchAll()).resources, []);
  assert.equal((await c.items.create({ id: "a", foo: "bar" }, { partitionKey: [] })).resource.foo, "bar");
  assert.equal((await c.items.upsert({ id: "b", foo: "bar" }, { partitionKey: [] })).resource.foo, "bar");
  assert.equal((await c.item("a", []).replace({ id: "a", foo: "baz" })).resource.foo, "baz");
  assert.equal((await c.items.readAll().fetchAll()).resources.length, 2);
  assert.equal((await c.items.query("SELECT * FROM root r").fetchAll()).resources.length, 2);
  await c.item("a", []).delete();
  assert.equal((await c.item("a", []).read()).statusCode, 404); // it does not throw
});

check("offer: 400 RU/s by default, and bound to its _rid", async () => {
  const c = await container();
  const { resource } = await c.read();
  const { resources } = await client.offers.query({ query: "SELECT * FROM root r WHERE r.offerResourceId = @rid", parameters: [{ name: "@rid", value: resource._rid }] }).fetchAll();
  assert.equal(resources.length, 1);
  const [offer] = resources;
  assert.equal(offer.content.offerThroughput, 400);
  offer.content.offerThroughput = 500;
  assert.equal((await client.offer(offer.id).replace(offer)).resource.content.offerThroughput, 500);
  for (const _rid of ["NotAllowed", null]) await refused(client.offer(offer.id).replace({ ...offer, _rid }), 400);
});

// Twenty items over three ranges, as in the repository's tests of queries across partitions.
const across = await container({ partitionKey: { paths: ["/id"] } });
for (let cnt = 0; cnt < 20; cnt++) await across.items.create({ id: `${cnt}`, cnt, spam: `eggs${cnt}` });
const count = (a, b) => a - b;
const numbers = (items) => items.map((item) => item.cnt);

for (const maxDegreeOfParallelism of [undefined, 0, 1, 3, -1]) {
  const options = { maxItemCount: 2, maxDegreeOfParallelism };
  const all = async (query) => (await across.items.query(query, options).fetchAll()).resources;
  check(`query: across partitions with a parallelism of ${maxDegreeOfParallelism}`, async () => {
    assert.deepEqual(numbers(await all("SELECT * FROM root r")).sort(count), [...Array(20).keys()]);
    assert.deepEqual(numbers(await all("SELECT * FROM root r ORDER BY r.cnt DESC")), [...Array(20).keys()].reverse());
    assert.deepEqual(numbers(await all("SELECT TOP 6 * FROM root r ORDER BY r.cnt")), [0, 1, 2, 3, 4, 5]);
    assert.equal((await all("SELECT TOP 6 * FROM root r")).length, 6);
    assert.deepEqual(numbers(await all("SELECT * FROM root r ORDER BY r.cnt OFFSET 3 LIMIT 4")), [3, 4, 5, 6]);
    assert.deepEqual(await all("SELECT VALUE COUNT(1) FROM root r"), [20]);
    assert.deepEqual(await all("SELECT VALUE SUM(r.cnt) FROM root r"), [190]);
    assert.deepEqual(await all("SELECT VALUE AVG(r.cnt) FROM root r"), [9.5]);
    assert.deepEqual(await all("SELECT VALUE MIN(r.cnt) FROM root r"), [0]);
  });
  check(`query: full pages with a parallelism of ${maxDegreeOfParallelism}`, async () => {
    const iterator = across.items.query("SELECT * FROM root r", options);
    const sizes = [];
    let charge = 0;
    while (iterator.hasMoreResults()) {
      const { resources, requestCharge } = await iterator.fetchNext();
      if (resources === undefined) break;
      sizes.push(resources.length);
      charge += Number(requestCharge ?? 0); // which is text in some answers
    }
    assert.equal(sizes.reduce((a, b) => a + b, 0), 20);
    if (maxDegreeOfParallelism !== undefined) assert.deepEqual(sizes.filter((n) => n > 0), Array(10).fill(2));
    assert.ok(charge > 0);
  });
}

check("query: a parallel one is sent as such only until the plan is there", async () => {
  const sent = [];
  const watching = observed((context) => {
    if (context.operationType === "query") sent.push(context.headers);
  });
  await watching.database("former").container(across.id).items.query("SELECT * FROM root r", { maxDegreeOfParallelism: 3 }).fetchAll();
  assert.ok(sent.some((headers) => headers["x-ms-documentdb-partitionkeyrangeid"] !== undefined));
});

check("items: keys of each type, and of none", async () => {
  const c = await container();
  const values = [null, false, true, 1, "A", "", undefined];
  for (const [i, value] of values.entries()) await c.items.create({ id: `${i}`, key: value });
  assert.equal((await c.items.readAll().fetchAll()).resources.length, values.length);
  assert.equal((await c.item("6", undefined).read()).resource.id, "6");
});

check("change feed: of a partition key, from the beginning and from now", async () => {
  const c = await container();
  for (const key of ["0", "1"]) for (const id of ["1", "2"]) await c.items.create({ id, key });
  const iterator = c.items.readChangeFeed("0", { startFromBeginning: true });
  const { result, headers } = await iterator.fetchNext();
  assert.ok(headers.etag);
  assert.equal(result.length, 2);
  await c.items.upsert({ ...result[1], name: "xyz" });
  assert.deepEqual((await iterator.fetchNext()).result.map((item) => item.name), ["xyz"]);
  assert.deepEqual((await iterator.fetchNext()).result, []);
  assert.equal(iterator.hasMoreResults, false);
  const now = c.items.readChangeFeed("0", {});
  assert.deepEqual((await now.fetchNext()).result, []);
  await c.items.create({ id: "3", key: "0" });
  assert.equal((await now.fetchNext()).result.length, 1);
});

check("session: a token from the future is 404/1002, an absent item 404", async () => {
  const c = await container();
  await c.items.create({ id: "1", key: "a" });
  const ahead = observed((context) => {
    if (context.resourceType === "docs") context.headers["x-ms-session-token"] = "0:-1#200,1:-1#200,2:-1#200";
  });
  const { statusCode, substatus } = await ahead.database("former").container(c.id).item("1", "a").read();
  assert.deepEqual([statusCode, substatus], [404, 1002]);
  assert.equal((await c.item("2", "a").read()).statusCode, 404);
});

check("conflicts: an empty list", async () => {
  assert.deepEqual((await across.conflicts.readAll().fetchAll()).resources, []);
});

check("users and scripts: 501", async () => {
  await refused(database.users.create({ id: "u" }), 501);
  await refused(database.users.readAll().fetchAll(), 501);
  await refused(across.scripts.storedProcedures.readAll().fetchAll(), 501);
});

let passed = 0;
for (const { name, run } of checks) {
  try {
    await run();
    passed++;
    console.log(`passed ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}\n${String(error.stack ?? JSON.stringify(error)).replace(/^/gm, "       ")}`);
  }
}
console.log(`former javascript: ${passed} of ${checks.length} passed`);
process.exitCode = passed === checks.length ? 0 : 1;
