// A second witness: the JavaScript SDK for Azure Cosmos DB, against the engine over TLS.
// It needs two engines, as conformance/javascript.go starts them:
//
//   WITNESS_wide    an endpoint whose containers have several feed ranges
//   WITNESS_strict  an endpoint that enforces throughput
//   WITNESS_KEY     the key of both
//
// Every check prints a line; the last line counts them. The exit code says whether all
// passed.

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { BulkOperationType, ChangeFeedStartFrom, CosmosClient, PartitionKeyBuilder, PatchOperationType } from "@azure/cosmos";

globalThis.crypto ??= webcrypto; // which the SDK takes for granted, and Node.js 18 lacks

const key = process.env.WITNESS_KEY;
const wide = new CosmosClient({ endpoint: process.env.WITNESS_wide, key });
// Without endpoint discovery the SDK does not repeat a read whose session is not available.
const blunt = new CosmosClient({ endpoint: process.env.WITNESS_wide, key, connectionPolicy: { enableEndpointDiscovery: false } });

const checks = [];
const check = (name, run) => checks.push({ name, run });

// refused expects a promise to fail with a status, and a substatus if one is given.
async function refused(promise, code, substatus) {
  const error = await promise.then(
    (answer) => assert.fail(`expected ${code}, got ${answer.statusCode}`),
    (error) => error,
  );
  if (error instanceof assert.AssertionError) throw error;
  assert.equal(error.code, code, error.message);
  if (substatus !== undefined) assert.equal(error.substatus, substatus);
  assert.ok(error.body?.message ?? error.message, "an error says why");
  return error;
}

const ids = (items) => items.map((item) => item.id);
const sorted = (list) => [...list].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

// pages reads a query to its end, page by page.
async function pages(iterator) {
  const all = [];
  while (iterator.hasMoreResults()) {
    const { resources } = await iterator.fetchNext();
    if (resources !== undefined) all.push(resources);
    assert.ok(all.length < 1000, "the query does not end");
  }
  return all;
}

// changes reads a change feed until a full round finds nothing.
async function changes(iterator) {
  const found = [];
  for (;;) {
    const page = await iterator.readNext();
    if (page.statusCode === 304) return { found, continuation: page.continuationToken };
    assert.equal(page.statusCode, 200);
    found.push(...page.result);
  }
}

// Databases and containers ------------------------------------------------------------

const { database } = await wide.databases.createIfNotExists({ id: "witness" });

// container makes one of its own for a check.
let made = 0;
async function container(definition = {}, options) {
  const { container } = await database.containers.create({ id: `c${++made}`, partitionKey: { paths: ["/pk"] }, ...definition }, options);
  return container;
}

check("account: one region, which can be written to", async () => {
  const { resource } = await wide.getDatabaseAccount();
  assert.equal(resource.writableLocations.length, 1);
  assert.equal(resource.consistencyPolicy, "Session");
});

check("database: createIfNotExists creates once", async () => {
  const first = await wide.databases.createIfNotExists({ id: "once" });
  const second = await wide.databases.createIfNotExists({ id: "once" });
  assert.deepEqual([first.statusCode, second.statusCode], [201, 200]);
  await refused(wide.databases.create({ id: "once" }), 409);
  assert.equal((await first.database.delete()).statusCode, 204);
  await refused(first.database.read(), 404);
});

check("database: listed and queried", async () => {
  assert.ok(ids((await wide.databases.readAll().fetchAll()).resources).includes("witness"));
  const found = await wide.databases.query({ query: "SELECT * FROM root r WHERE r.id = @id", parameters: [{ name: "@id", value: "witness" }] }).fetchAll();
  assert.deepEqual(ids(found.resources), ["witness"]);
});

check("container: createIfNotExists, list, query, delete", async () => {
  const definition = { id: "once", partitionKey: { paths: ["/pk"] } };
  assert.equal((await database.containers.createIfNotExists(definition)).statusCode, 201);
  const again = await database.containers.createIfNotExists(definition);
  assert.equal(again.statusCode, 200);
  assert.ok(ids((await database.containers.readAll().fetchAll()).resources).includes("once"));
  const found = await database.containers.query("SELECT * FROM c WHERE c.id = 'once'").fetchAll();
  assert.deepEqual(ids(found.resources), ["once"]);
  assert.equal((await again.container.delete()).statusCode, 204);
  await refused(again.container.read(), 404);
});

check("container: its definition comes back, with the defaults", async () => {
  const c = await container({
    defaultTtl: 3600,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] },
    indexingPolicy: { includedPaths: [{ path: "/*" }], excludedPaths: [{ path: "/blob/*" }], compositeIndexes: [[{ path: "/a", order: "ascending" }, { path: "/b", order: "descending" }]] },
  });
  const { resource } = await c.read();
  assert.deepEqual(resource.partitionKey, { paths: ["/pk"], kind: "Hash", version: 2 });
  assert.equal(resource.defaultTtl, 3600);
  assert.deepEqual(resource.uniqueKeyPolicy.uniqueKeys.map((k) => k.paths), [["/email"]]);
  assert.equal(resource.indexingPolicy.indexingMode, "consistent");
  assert.deepEqual(resource.indexingPolicy.compositeIndexes, [[{ path: "/a", order: "ascending" }, { path: "/b", order: "descending" }]]);
  assert.equal(resource.conflictResolutionPolicy.mode, "LastWriterWins");
});

check("container: replaced, but not its partition key", async () => {
  const c = await container();
  const { resource } = await c.read();
  const replaced = await c.replace({ ...resource, defaultTtl: 60 });
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource.defaultTtl, 60);
  await refused(c.replace({ ...resource, partitionKey: { paths: ["/other"], kind: "Hash", version: 2 } }), 400);
});

check("container: made anew under its name, it is another", async () => {
  const first = await container({ id: "again" });
  await first.items.create({ id: "1", pk: "a" });
  const before = (await first.read()).resource._rid;
  await first.delete();
  const second = await container({ id: "again" });
  assert.notEqual((await second.read()).resource._rid, before);
  assert.deepEqual((await second.items.readAll().fetchAll()).resources, []);
});

check("throughput: read and replaced", async () => {
  const c = await container({ throughput: 700 });
  const { offer, resource } = await c.readOffer();
  assert.equal(resource.content.offerThroughput, 700);
  resource.content.offerThroughput = 900;
  assert.equal((await offer.replace(resource)).statusCode, 200);
  assert.equal((await c.readOffer()).resource.content.offerThroughput, 900);
  assert.ok(ids((await wide.offers.readAll().fetchAll()).resources).includes(resource.id));
});

check("throughput: autoscale", async () => {
  const c = await container({ maxThroughput: 4000 });
  const { offer, resource } = await c.readOffer();
  assert.equal(resource.content.offerAutopilotSettings.maxThroughput, 4000);
  resource.content.offerAutopilotSettings.maxThroughput = 8000;
  assert.equal((await offer.replace(resource)).resource.content.offerAutopilotSettings.maxThroughput, 8000);
});

check("throughput: 400 RU/s where none was set, none where it is the database's", async () => {
  assert.equal((await (await container()).readOffer()).resource.content.offerThroughput, 400);
  const shared = await wide.databases.create({ id: "shared", throughput: 400 });
  const c = await shared.database.containers.create({ id: "c", partitionKey: { paths: ["/pk"] } });
  assert.equal((await c.container.readOffer()).resource, undefined);
  await shared.database.delete();
});

// Items ---------------------------------------------------------------------------------

const items = await container();

check("item: created, read, replaced, deleted", async () => {
  const created = await items.items.create({ id: "crud", pk: "a", n: 1, deep: { list: [1, "é😀", null] } });
  assert.equal(created.statusCode, 201);
  assert.ok(created.requestCharge > 0);
  const item = items.item("crud", "a");
  const read = await item.read();
  assert.equal(read.statusCode, 200);
  assert.deepEqual(read.resource.deep, { list: [1, "é😀", null] });
  assert.equal(read.etag, created.etag);
  const replaced = await item.replace({ id: "crud", pk: "a", n: 2 });
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource.n, 2);
  assert.equal(replaced.resource.deep, undefined);
  assert.notEqual(replaced.etag, created.etag);
  assert.equal((await item.delete()).statusCode, 204);
  assert.equal((await item.read()).statusCode, 404);
  await refused(item.delete(), 404);
  await refused(item.replace({ id: "crud", pk: "a" }), 404);
});

check("item: upserted", async () => {
  assert.equal((await items.items.upsert({ id: "up", pk: "a", n: 1 })).statusCode, 201);
  const second = await items.items.upsert({ id: "up", pk: "a", n: 2 });
  assert.deepEqual([second.statusCode, second.resource.n], [200, 2]);
});

check("item: an id is taken within its partition key only", async () => {
  await items.items.create({ id: "same", pk: "a" });
  await items.items.create({ id: "same", pk: "b" });
  await refused(items.items.create({ id: "same", pk: "a" }), 409);
});

check("item: without an id gets one from the SDK", async () => {
  const { resource } = await items.items.create({ pk: "a" });
  assert.equal((await items.item(resource.id, "a").read()).statusCode, 200);
});

check("item: ids and keys of any script", async () => {
  for (const [id, pk] of [["é😀 漢", "é😀"], ["a b", "x/y"], ["q=&+'%", "\u0000\u001f\""], ["dot.", "%20"]]) {
    await items.items.create({ id, pk });
    assert.equal((await items.item(id, pk).read()).resource.pk, pk);
  }
});

check("item: keys that are numbers, booleans, null and undefined", async () => {
  for (const pk of [0, -1.5, 1e21, true, false, null]) {
    await items.items.create({ id: "typed", pk, said: String(pk) });
    assert.equal((await items.item("typed", pk).read()).resource.said, String(pk));
  }
  await items.items.create({ id: "typed", said: "nothing" });
  assert.equal((await items.item("typed", undefined).read()).resource.said, "nothing");
});

check("item: a key other than the addressed one is refused", async () => {
  await items.items.create({ id: "key", pk: "a" });
  await refused(items.item("key", "a").replace({ id: "key", pk: "b" }), 400);
});

check("item: numbers keep their value", async () => {
  const n = [9007199254740991, -1, 1.5, 1e-7, 3.0, 1.7976931348623157e308];
  await items.items.create({ id: "numbers", pk: "a", n });
  assert.deepEqual((await items.item("numbers", "a").read()).resource.n, n);
});

check("item: over two megabytes is refused", async () => {
  await refused(items.items.create({ id: "big", pk: "a", text: "x".repeat(2 << 20) }), 413);
});

check("patch: every operation", async () => {
  const { item } = await items.items.create({ id: "patch", pk: "a", n: 1, list: [1, 3], old: "x", from: "moved" });
  const { resource, statusCode } = await item.patch([
    { op: PatchOperationType.add, path: "/list/1", value: 2 },
    { op: PatchOperationType.set, path: "/name", value: "<Ada & co>" },
    { op: PatchOperationType.replace, path: "/list/0", value: 0 },
    { op: PatchOperationType.remove, path: "/old" },
    { op: PatchOperationType.incr, path: "/n", value: 4 },
    { op: "move", from: "/from", path: "/to" },
  ]);
  assert.equal(statusCode, 200);
  assert.deepEqual(resource.list, [0, 2, 3]);
  assert.deepEqual([resource.name, resource.n, resource.old, resource.from, resource.to], ["<Ada & co>", 5, undefined, undefined, "moved"]);
});

check("patch: with a condition", async () => {
  const { item } = await items.items.create({ id: "condition", pk: "a", n: 1 });
  const operations = [{ op: PatchOperationType.incr, path: "/n", value: 1 }];
  assert.equal((await item.patch({ condition: "from c where c.n = 1", operations })).resource.n, 2);
  await refused(item.patch({ condition: "from c where c.n = 1", operations }), 412);
  await refused(item.patch({ condition: "from c where", operations }), 400);
  assert.equal((await item.read()).resource.n, 2);
});

check("patch: of a missing path, of the id, of eleven operations", async () => {
  const { item } = await items.items.create({ id: "badpatch", pk: "a" });
  await refused(item.patch([{ op: PatchOperationType.replace, path: "/none", value: 1 }]), 400);
  await refused(item.patch([{ op: PatchOperationType.set, path: "/id", value: "other" }]), 400);
  await refused(item.patch(Array.from({ length: 11 }, () => ({ op: PatchOperationType.incr, path: "/n", value: 1 }))), 400);
});

check("conditions: a read that finds nothing new is 304", async () => {
  const { item, etag } = await items.items.create({ id: "cached", pk: "a" });
  const same = await item.read({ accessCondition: { type: "IfNoneMatch", condition: etag } });
  assert.equal(same.statusCode, 304);
  assert.equal(same.resource ?? undefined, undefined);
  await item.replace({ id: "cached", pk: "a", n: 1 });
  const changed = await item.read({ accessCondition: { type: "IfNoneMatch", condition: etag } });
  assert.deepEqual([changed.statusCode, changed.resource.n], [200, 1]);
});

check("conditions: a write of an old version is 412", async () => {
  const { item, etag } = await items.items.create({ id: "guarded", pk: "a" });
  const ifMatch = { accessCondition: { type: "IfMatch", condition: etag } };
  assert.equal((await item.replace({ id: "guarded", pk: "a", n: 1 }, ifMatch)).statusCode, 200);
  await refused(item.replace({ id: "guarded", pk: "a", n: 2 }, ifMatch), 412);
  await refused(items.items.upsert({ id: "guarded", pk: "a", n: 2 }, ifMatch), 412);
  await refused(item.patch([{ op: PatchOperationType.incr, path: "/n", value: 1 }], ifMatch), 412);
  await refused(item.delete(ifMatch), 412);
  assert.equal((await item.read()).resource.n, 1);
});

check("hierarchical key: items, queries of a prefix", async () => {
  const c = await container({ partitionKey: { paths: ["/tenant", "/user", "/session"], kind: "MultiHash", version: 2 } });
  for (const tenant of ["t1", "t2"])
    for (const user of ["u1", "u2"])
      for (const session of [1, 2]) await c.items.create({ id: "x", tenant, user, session });
  assert.equal((await c.item("x", ["t1", "u2", 2]).read()).resource.user, "u2");
  const prefix = new PartitionKeyBuilder().addValue("t1").addValue("u1").build();
  const { resources } = await c.items.query("SELECT VALUE c.session FROM c", { partitionKey: prefix }).fetchAll();
  assert.deepEqual(sorted(resources), [1, 2]);
  const tenant = await c.items.query("SELECT * FROM c", { partitionKey: ["t2"] }).fetchAll();
  assert.equal(tenant.resources.length, 4);
  assert.equal((await c.item("x", ["t1", "u1", 1]).delete()).statusCode, 204);
  assert.equal((await c.items.readAll().fetchAll()).resources.length, 7);
});

check("unique keys: within a partition key", async () => {
  const c = await container({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] } });
  await c.items.create({ id: "1", pk: "a", email: "ada@example.org" });
  await refused(c.items.create({ id: "2", pk: "a", email: "ada@example.org" }), 409);
  await c.items.create({ id: "2", pk: "b", email: "ada@example.org" });
  const { item } = await c.items.create({ id: "3", pk: "a", email: "eve@example.org" });
  await refused(item.patch([{ op: PatchOperationType.set, path: "/email", value: "ada@example.org" }]), 409);
});

check("time to live: an item is gone when its time is over", async () => {
  const c = await container({ defaultTtl: -1 });
  const { item } = await c.items.create({ id: "short", pk: "a", ttl: 1 });
  await c.items.create({ id: "long", pk: "a", ttl: 3600 });
  await refused(c.items.create({ id: "bad", pk: "a", ttl: 0 }), 400);
  for (let tries = 0; (await item.read()).statusCode !== 404; tries++) {
    assert.ok(tries < 100, "it is still there after ten seconds");
    await new Promise((done) => setTimeout(done, 100)); // real time has to pass
  }
  assert.deepEqual(ids((await c.items.readAll().fetchAll()).resources), ["long"]);
});

// Batches and bulk ----------------------------------------------------------------------

check("batch: all operations, each seeing those before it", async () => {
  const c = await container();
  await c.items.create({ id: "old", pk: "a", n: 1 });
  await c.items.create({ id: "gone", pk: "a" });
  const answer = await c.items.batch([
    { operationType: BulkOperationType.Create, resourceBody: { id: "new", pk: "a", n: 1 } },
    { operationType: BulkOperationType.Upsert, resourceBody: { id: "old", pk: "a", n: 2 } },
    { operationType: BulkOperationType.Patch, id: "old", resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] } },
    { operationType: BulkOperationType.Replace, id: "new", resourceBody: { id: "new", pk: "a", n: 9 } },
    { operationType: BulkOperationType.Read, id: "old" },
    { operationType: BulkOperationType.Delete, id: "gone" },
  ], "a");
  assert.equal(answer.code, 200);
  assert.deepEqual(answer.result.map((r) => r.statusCode), [201, 200, 200, 200, 200, 204]);
  assert.equal(answer.result[4].resourceBody.n, 3);
  assert.ok(answer.result.every((r) => r.requestCharge > 0));
  assert.equal((await c.item("new", "a").read()).resource.n, 9);
  assert.equal((await c.item("gone", "a").read()).statusCode, 404);
});

check("batch: fails whole", async () => {
  const c = await container();
  await c.items.create({ id: "there", pk: "a" });
  const answer = await c.items.batch([
    { operationType: BulkOperationType.Create, resourceBody: { id: "1", pk: "a" } },
    { operationType: BulkOperationType.Create, resourceBody: { id: "there", pk: "a" } },
    { operationType: BulkOperationType.Create, resourceBody: { id: "2", pk: "a" } },
  ], "a");
  assert.equal(answer.code, 207);
  assert.deepEqual(answer.result.map((r) => r.statusCode), [424, 409, 424]);
  assert.deepEqual(ids((await c.items.readAll().fetchAll()).resources), ["there"]);
});

check("batch: of another partition key is refused", async () => {
  const answer = await items.items.batch([{ operationType: BulkOperationType.Create, resourceBody: { id: "wrong", pk: "b" } }], "a");
  assert.deepEqual([answer.code, answer.result[0].statusCode], [207, 400]);
});

check("batch: contentResponseOnWriteEnabled false leaves the items out, not their etags", async () => {
  const create = (id) => [{ operationType: BulkOperationType.Create, resourceBody: { id, pk: "a" } }];
  const quiet = await items.items.batch(create("quiet"), "a", { contentResponseOnWriteEnabled: false });
  assert.equal(quiet.result[0].resourceBody, undefined);
  assert.ok(quiet.result[0].eTag);
  const talkative = await items.items.batch(create("talkative"), "a");
  assert.equal(talkative.result[0].resourceBody.id, "talkative");
});

check("bulk: operations on many keys, each on its own", async () => {
  const c = await container();
  await c.items.create({ id: "7", pk: "k7" });
  const operations = Array.from({ length: 250 }, (_, i) => ({ operationType: BulkOperationType.Create, partitionKey: `k${i}`, resourceBody: { id: `${i}`, pk: `k${i}` } }));
  operations.push({ operationType: BulkOperationType.Read, partitionKey: "k7", id: "7" });
  operations.push({ operationType: BulkOperationType.Delete, partitionKey: "k1", id: "absent" });
  const results = await c.items.executeBulkOperations(operations);
  const status = (r) => r.response?.statusCode ?? r.error?.code;
  assert.equal(results.length, 252);
  assert.deepEqual([status(results[0]), status(results[7]), status(results[250]), status(results[251])], [201, 409, 200, 404]);
  assert.equal((await c.items.readAll().fetchAll()).resources.length, 250);
});

check("bulk: the older call", async () => {
  const c = await container();
  const answers = await c.items.bulk([
    { operationType: BulkOperationType.Create, partitionKey: "a", resourceBody: { id: "1", pk: "a" } },
    { operationType: BulkOperationType.Upsert, partitionKey: "b", resourceBody: { id: "1", pk: "b", n: 1 } },
    { operationType: BulkOperationType.Read, partitionKey: "c", id: "none" },
    { operationType: BulkOperationType.Patch, partitionKey: "b", id: "1", resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] } },
  ], { continueOnError: true });
  assert.deepEqual(answers.map((a) => a.statusCode), [201, 201, 404, 200]);
});

check("bulk: the older call, told to stop at a failure", async () => {
  const c = await container();
  const create = { operationType: BulkOperationType.Create, partitionKey: "a", resourceBody: { id: "1", pk: "a" } };
  const answers = await c.items.bulk([create, create, { ...create, resourceBody: { id: "2", pk: "a" } }], { continueOnError: false });
  assert.deepEqual(answers.map((a) => a.statusCode), [201, 409, 424]);
  assert.deepEqual(ids((await c.items.readAll().fetchAll()).resources), ["1"]);
});

// Queries -------------------------------------------------------------------------------

// Forty people in eight cities, so that every feed range has some.
const cities = ["Ankara", "Bergen", "Cádiz", "Dakar", "Essen", "Fes", "Ghent", "Hanoi"];
const everybody = Array.from({ length: 40 }, (_, i) => ({
  id: String(i).padStart(2, "0"),
  pk: cities[i % 8],
  age: 20 + ((i * 7) % 31),
  team: ["red", "green", "blue"][i % 3],
  tags: i % 4 === 0 ? ["a", `t${i % 5}`] : ["b"],
  ...(i % 10 === 0 ? {} : { score: ((i * 13) % 40) / 2 }),
}));
const people = await container({ indexingPolicy: { includedPaths: [{ path: "/*" }], compositeIndexes: [[{ path: "/team", order: "ascending" }, { path: "/age", order: "descending" }]] } });
for (const person of everybody) await people.items.create(person);

const rows = async (query, options) => (await people.items.query(query, options).fetchAll()).resources;
const by = (...keys) => (a, b) => keys.map((k) => k(a, b)).find((d) => d !== 0) ?? 0;
const up = (f) => (a, b) => (f(a) < f(b) ? -1 : f(a) > f(b) ? 1 : 0);
const down = (f) => (a, b) => -up(f)(a, b);

check("query: within a key", async () => {
  const found = await rows({ query: "SELECT c.id, c.age FROM c WHERE c.age >= @age ORDER BY c.age DESC", parameters: [{ name: "@age", value: 30 }] }, { partitionKey: "Fes" });
  const want = everybody.filter((p) => p.pk === "Fes" && p.age >= 30).sort(down((p) => p.age)).map(({ id, age }) => ({ id, age }));
  assert.deepEqual(found, want);
});

check("query: aggregates and groups within a key", async () => {
  const own = everybody.filter((p) => p.pk === "Essen");
  assert.deepEqual(await rows("SELECT COUNT(1) AS n, MAX(c.age) AS oldest FROM c", { partitionKey: "Essen" }), [{ n: own.length, oldest: Math.max(...own.map((p) => p.age)) }]);
  const groups = await rows("SELECT c.team, COUNT(1) AS n FROM c GROUP BY c.team", { partitionKey: "Essen" });
  assert.equal(groups.reduce((sum, g) => sum + g.n, 0), own.length);
});

check("query: within a key, page by page and on from a continuation", async () => {
  const options = { partitionKey: "Ghent", maxItemCount: 2 };
  const query = "SELECT * FROM c ORDER BY c.age";
  const first = await people.items.query(query, options).fetchNext();
  assert.equal(first.resources.length, 2);
  assert.ok(first.continuationToken);
  const rest = await people.items.query(query, { ...options, continuationToken: first.continuationToken }).fetchAll();
  const want = everybody.filter((p) => p.pk === "Ghent").sort(by(up((p) => p.age)));
  assert.deepEqual([...first.resources, ...rest.resources].map((p) => p.age), want.map((p) => p.age));
  assert.equal(new Set(ids([...first.resources, ...rest.resources])).size, want.length);
});

check("query: filters across keys", async () => {
  const found = await rows("SELECT * FROM c WHERE c.team = 'red' AND (c.age < 30 OR NOT IS_DEFINED(c.score))");
  assert.deepEqual(sorted(ids(found)), sorted(ids(everybody.filter((p) => p.team === "red" && (p.age < 30 || p.score === undefined)))));
  assert.ok(found[0]._rid && found[0]._etag);
});

check("query: JOIN, functions, IN and projections across keys", async () => {
  const found = await rows("SELECT c.id, t AS tag, UPPER(c.team) AS team FROM c JOIN t IN c.tags WHERE t IN ('a', 'b') AND STARTSWITH(c.id, '1')");
  const want = everybody.filter((p) => p.id.startsWith("1")).map((p) => ({ id: p.id, tag: p.tags[0], team: p.team.toUpperCase() }));
  assert.deepEqual(found.sort(up((p) => p.id)), want);
});

check("query: filters across keys, page by page", async () => {
  const all = await pages(people.items.query("SELECT VALUE c.id FROM c WHERE c.age > 25", { maxItemCount: 3 }));
  assert.ok(all.every((page) => page.length <= 3));
  assert.deepEqual(sorted(all.flat()), sorted(ids(everybody.filter((p) => p.age > 25))));
});

check("query: on from a continuation across keys", async () => {
  let continuationToken;
  const found = [];
  do {
    const iterator = people.items.query("SELECT VALUE c.id FROM c", { maxItemCount: 7, continuationToken });
    const page = await iterator.fetchNext();
    found.push(...(page.resources ?? []));
    continuationToken = page.continuationToken;
    assert.ok(found.length <= everybody.length);
  } while (continuationToken);
  assert.deepEqual(sorted(found), ids(everybody));
});

check("query: ORDER BY across keys", async () => {
  for (const [direction, order] of [["ASC", up], ["DESC", down]]) {
    const found = await rows(`SELECT * FROM c ORDER BY c.id ${direction}`);
    assert.deepEqual(ids(found), ids([...everybody].sort(order((p) => p.id))));
    assert.equal(found[0].payload, undefined);
  }
});

check("query: ORDER BY across keys, page by page", async () => {
  const all = await pages(people.items.query("SELECT VALUE c.id FROM c WHERE c.team != 'blue' ORDER BY c.id", { maxItemCount: 4 }));
  assert.ok(all.every((page) => page.length <= 4));
  assert.deepEqual(all.flat(), ids(everybody.filter((p) => p.team !== "blue")));
});

// The SDK compares the heads of the ranges only if they are of one type, so that those who
// lack the property have to be left out; the engine itself sorts them first.
check("query: ORDER BY a property that some lack", async () => {
  const scores = (among) => among.filter((p) => p.score !== undefined).map((p) => p.score).sort((a, b) => a - b);
  const found = await rows("SELECT VALUE c.score FROM c WHERE IS_DEFINED(c.score) ORDER BY c.score");
  assert.deepEqual(found, scores(everybody));
  const within = await rows("SELECT c.score FROM c ORDER BY c.score", { partitionKey: "Ankara" });
  assert.deepEqual(within.map((p) => p.score), [undefined, ...scores(everybody.filter((p) => p.pk === "Ankara"))]);
});

check("query: ORDER BY two properties across keys, by the composite index", async () => {
  const found = await rows("SELECT c.team, c.age FROM c ORDER BY c.team ASC, c.age DESC");
  assert.deepEqual(found, [...everybody].sort(by(up((p) => p.team), down((p) => p.age))).map(({ team, age }) => ({ team, age })));
  await refused(rows("SELECT * FROM c ORDER BY c.age ASC, c.team DESC, c.id ASC"), 400);
});

check("query: TOP and OFFSET LIMIT across keys", async () => {
  assert.deepEqual(await rows("SELECT TOP 5 VALUE c.id FROM c ORDER BY c.id DESC"), ["39", "38", "37", "36", "35"]);
  assert.deepEqual(await rows("SELECT VALUE c.id FROM c ORDER BY c.id OFFSET 10 LIMIT 3"), ["10", "11", "12"]);
  assert.equal((await rows("SELECT TOP 7 * FROM c")).length, 7);
  assert.equal((await rows("SELECT * FROM c OFFSET 35 LIMIT 10")).length, 5);
});

check("query: DISTINCT across keys", async () => {
  assert.deepEqual(sorted(await rows("SELECT DISTINCT VALUE c.team FROM c")), ["blue", "green", "red"]);
  assert.deepEqual(await rows("SELECT DISTINCT VALUE c.pk FROM c ORDER BY c.pk"), sorted(cities));
  assert.equal((await rows("SELECT DISTINCT c.pk, c.team FROM c")).length, 24);
});

check("query: aggregates across keys", async () => {
  const scores = everybody.filter((p) => p.score !== undefined).map((p) => p.score);
  const sum = scores.reduce((a, b) => a + b, 0);
  assert.deepEqual(await rows("SELECT VALUE COUNT(1) FROM c"), [40]);
  assert.deepEqual(await rows("SELECT VALUE COUNT(c.score) FROM c"), [36]);
  assert.deepEqual(await rows("SELECT VALUE SUM(c.score) FROM c"), [sum]);
  assert.deepEqual(await rows("SELECT VALUE AVG(c.score) FROM c"), [sum / 36]);
  assert.deepEqual(await rows("SELECT VALUE MIN(c.age) FROM c WHERE c.team = 'red'"), [Math.min(...everybody.filter((p) => p.team === "red").map((p) => p.age))]);
  assert.deepEqual(await rows("SELECT VALUE MAX(c.id) FROM c"), ["39"]);
  assert.deepEqual(await rows("SELECT VALUE COUNT(1) FROM c WHERE c.team = 'none'"), [0]);
});

check("query: several aggregates across keys", async () => {
  assert.deepEqual(await rows("SELECT COUNT(1) AS n, MAX(c.id) AS last FROM c"), [{ n: 40, last: "39" }]);
});

check("query: GROUP BY across keys", async () => {
  const found = await rows("SELECT c.team, COUNT(1) AS n, MAX(c.age) AS oldest, SUM(c.score) AS sum, AVG(c.age) AS mean FROM c GROUP BY c.team");
  const want = ["blue", "green", "red"].map((team) => {
    const own = everybody.filter((p) => p.team === team);
    const total = (f) => own.reduce((sum, p) => sum + (f(p) ?? 0), 0);
    return { team, n: own.length, oldest: Math.max(...own.map((p) => p.age)), sum: total((p) => p.score), mean: total((p) => p.age) / own.length };
  });
  assert.deepEqual(found.sort(up((g) => g.team)), want);
  assert.deepEqual(sorted(await rows("SELECT VALUE c.pk FROM c GROUP BY c.pk")), sorted(cities));
});

check("query: by a forced query plan", async () => {
  const found = await rows("SELECT * FROM c WHERE c.age = 20", { forceQueryPlan: true });
  assert.deepEqual(sorted(ids(found)), ids(everybody.filter((p) => p.age === 20)));
  const { result: plan } = await people.getQueryPlan("SELECT TOP 3 * FROM c ORDER BY c.age");
  assert.deepEqual([plan.queryInfo.top, plan.queryInfo.orderBy], [3, ["Ascending"]]);
});

check("query: enableQueryControl, page by page across keys", async () => {
  const all = await pages(people.items.query("SELECT VALUE c.id FROM c ORDER BY c.id", { maxItemCount: 6, enableQueryControl: true }));
  assert.deepEqual(all.flat(), ids(everybody));
});

check("query: errors of syntax and of paging are the client's", async () => {
  const error = await refused(rows("SELECT * FROM c WHERE"), 400);
  assert.match(error.message, /SC1001|Syntax error/i);
  await refused(rows("SELECT * FROM c", { partitionKey: "Fes", continuationToken: "nonsense" }), 400);
});

check("query: metrics are there when they are asked for", async () => {
  const query = (options) => people.items.query("SELECT * FROM c WHERE c.age > 30", { partitionKey: "Fes", ...options }).fetchNext();
  const page = await query({ populateQueryMetrics: true, populateIndexMetrics: true });
  assert.equal(Object.values(page.queryMetrics)[0].outputDocumentCount, page.resources.length);
  assert.deepEqual(Object.keys(JSON.parse(page.indexMetrics)), ["UtilizedIndexes", "PotentialIndexes"]);
  assert.ok(page.requestCharge > 0);
  assert.equal((await query()).headers["x-ms-cosmos-index-utilization"], undefined);
});

check("readAll: the feed of items", async () => {
  assert.deepEqual(sorted(ids((await people.items.readAll().fetchAll()).resources)), ids(everybody));
  const all = await pages(people.items.readAll({ maxItemCount: 9 }));
  assert.deepEqual(sorted(all.flatMap(ids)), ids(everybody));
});

// Change feed ---------------------------------------------------------------------------

check("change feed: from the beginning, in pages", async () => {
  const iterator = people.items.getChangeFeedIterator({ maxItemCount: 5, changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
  const { found } = await changes(iterator);
  assert.deepEqual(sorted(ids(found)), ids(everybody));
  assert.ok(found.every((item) => item._lsn > 0));
});

check("change feed: from now, and on from a continuation", async () => {
  const c = await container();
  await c.items.create({ id: "before", pk: "a" });
  const iterator = c.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Now() });
  const { found, continuation } = await changes(iterator);
  assert.deepEqual(found, []);
  for (const pk of ["a", "b", "c", "d"]) await c.items.create({ id: `after-${pk}`, pk });
  await c.items.upsert({ id: "after-a", pk: "a", n: 1 });
  await c.items.upsert({ id: "before", pk: "a", n: 1 });
  await c.item("after-d", "d").delete();
  const resumed = c.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuation) });
  const after = (await changes(resumed)).found;
  assert.deepEqual(sorted(ids(after)), ["after-a", "after-b", "after-c", "before"]);
  assert.equal(after.find((item) => item.id === "after-a").n, 1);
  assert.deepEqual(sorted(ids((await changes(iterator)).found)), sorted(ids(after)));
});

check("change feed: from a time", async () => {
  const c = await container();
  await c.items.create({ id: "1", pk: "a" });
  const from = (time) => changes(c.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Time(time) }));
  assert.deepEqual(ids((await from(new Date(Date.now() - 60_000))).found), ["1"]);
  assert.deepEqual((await from(new Date(Date.now() + 60_000))).found, []);
});

check("change feed: of each feed range, and of all of them", async () => {
  const ranges = await people.getFeedRanges();
  assert.equal(ranges.length, 3);
  const found = [];
  for (const range of ranges) found.push((await changes(people.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning(range) }))).found);
  assert.ok(found.every((part) => part.length > 0 && part.length < everybody.length));
  assert.deepEqual(sorted(ids(found.flat())), ids(everybody));
});

check("change feed: of a partition key", async () => {
  const iterator = people.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning("Dakar") });
  const { found } = await changes(iterator);
  assert.deepEqual(ids(found), ids(everybody.filter((p) => p.pk === "Dakar")));
  assert.deepEqual((await changes(people.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Now("Dakar") }))).found, []);
});

check("change feed: the older iterator", async () => {
  const iterator = people.items.changeFeed("Bergen", { startFromBeginning: true, maxItemCount: 2 });
  const found = [];
  while (iterator.hasMoreResults) {
    const page = await iterator.fetchNext();
    if (!page.result?.length) break;
    found.push(...page.result);
  }
  assert.deepEqual(ids(found), ids(everybody.filter((p) => p.pk === "Bergen")));
});

// Sessions, throttling, errors ------------------------------------------------------------

check("session: the token of a write is good for a read", async () => {
  const { item, headers } = await items.items.create({ id: "session", pk: "s" });
  const sessionToken = headers["x-ms-session-token"];
  assert.match(sessionToken, /^\d+:/);
  assert.equal((await item.read({ sessionToken })).statusCode, 200);
});

check("session: a token of the future is not available", async () => {
  const { headers } = await items.items.create({ id: "future", pk: "s" });
  const sessionToken = headers["x-ms-session-token"].replace(/#\d+/, "#999999");
  const item = blunt.database("witness").container(items.id).item("future", "s");
  // The SDK turns 404 into an answer; its substatus says that the item may well be there.
  const answer = await item.read({ sessionToken });
  assert.deepEqual([answer.statusCode, Number(answer.headers["x-ms-substatus"])], [404, 1002]);
  await refused(item.read({ sessionToken: "nonsense" }), 400);
});

check("throttling: 429 says when to come back, and coming back succeeds", async () => {
  const connect = (maxRetryAttemptCount) =>
    new CosmosClient({ endpoint: process.env.WITNESS_strict, key, connectionPolicy: { retryOptions: { maxRetryAttemptCount, maxWaitTimeInSeconds: 60 } } });
  const impatient = connect(0);
  const patient = connect(100);
  const { database } = await patient.databases.createIfNotExists({ id: "witness" });
  await database.containers.create({ id: "slow", partitionKey: { paths: ["/pk"] }, throughput: 400 });
  // Each write costs more than a third of what a second has.
  const text = "x".repeat(512 << 10);
  const write = (client, id) => client.database("witness").container("slow").items.create({ id, pk: "a", text });
  let written = 0;
  let error;
  while (error === undefined && written < 100) await write(impatient, `impatient${written}`).then(() => written++, (e) => (error = e));
  assert.deepEqual([error?.code, error?.substatus], [429, 3200]);
  assert.ok(error.retryAfterInMs > 0);
  let retries = 0;
  for (let i = 0; i < 5; i++, written++) retries += (await write(patient, `patient${i}`)).headers["x-ms-throttle-retry-count"] ?? 0;
  assert.ok(retries > 0, "the SDK did not have to come back");
  const { resources } = await patient.database("witness").container("slow").items.query("SELECT VALUE COUNT(1) FROM c", { partitionKey: "a" }).fetchAll();
  assert.equal(resources[0], written);
  impatient.dispose();
  patient.dispose();
});

check("errors: a wrong key is 401", async () => {
  const stranger = new CosmosClient({ endpoint: process.env.WITNESS_wide, key: Buffer.from("somebody else's key").toString("base64") });
  await refused(stranger.database("witness").read(), 401);
});

check("errors: an absent container and database are 404", async () => {
  await refused(database.container("absent").items.create({ id: "1", pk: "a" }), 404);
  await refused(wide.database("absent").read(), 404);
  await refused(wide.database("absent").containers.create({ id: "c", partitionKey: { paths: ["/pk"] } }), 404);
});

check("errors: what the engine does not have says so", async () => {
  await refused(items.scripts.storedProcedures.create({ id: "s", body: "function () {}" }), 501);
  await refused(items.scripts.storedProcedures.readAll().fetchAll(), 501);
});

check("headers: what every answer to an operation on items has", async () => {
  const { headers } = await items.items.create({ id: "headers", pk: "h" });
  for (const name of ["x-ms-activity-id", "x-ms-request-charge", "x-ms-session-token", "etag", "x-ms-alt-content-path", "x-ms-content-path", "lsn", "x-ms-serviceversion"])
    assert.ok(headers[name], name);
  assert.equal(headers["x-ms-alt-content-path"], `dbs/witness/colls/${items.id}`);
  assert.equal(Buffer.from(headers["x-ms-content-path"].replace(/-/g, "/"), "base64").length, 8);
});

let passed = 0;
for (const { name, run } of checks) {
  try {
    await run();
    passed++;
    console.log(`passed ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}\n${String(error.stack ?? error).replace(/^/gm, "       ")}`);
  }
}
console.log(`javascript: ${passed} of ${checks.length} passed`);
wide.dispose();
blunt.dispose();
process.exitCode = passed === checks.length ? 0 : 1;
