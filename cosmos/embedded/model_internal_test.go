package embedded

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The following model repeats the meaning of items, patches and batches in the simplest way, over
// encoding/json. The fuzz targets compare the engine with it.

// decode parses a JSON text. Numbers become int64 or float64 as in the service. It fails for
// invalid JSON and for numbers outside of the range of a double.
func decode(text string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return withNumbers(v)
}

func withNumbers(v any) (any, bool) {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i, true
		}
		f, err := strconv.ParseFloat(string(v), 64)
		return wholeNumber(f), err == nil
	case []any:
		for i := range v {
			var ok bool
			if v[i], ok = withNumbers(v[i]); !ok {
				return nil, false
			}
		}
	case map[string]any:
		for name := range v {
			var ok bool
			if v[name], ok = withNumbers(v[name]); !ok {
				return nil, false
			}
		}
	}
	return v, true
}

// wholeNumber converts a double without fraction to an integer, because it is printed as one.
func wholeNumber(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

// encode returns the JSON of a value with members in alphabetical order.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// nesting returns the nesting depth of a value.
func nesting(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n = max(n, nesting(e))
		}
		return n + 1
	case map[string]any:
		for _, e := range v {
			n = max(n, nesting(e))
		}
		return n + 1
	}
	return 0
}

// modelItem returns the item that a document becomes under the partition key "a".
func modelItem(v any) (item map[string]any, ok bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	item = make(map[string]any)
	for name, v := range m {
		if !slices.Contains(systemNames, name) {
			item[name] = v
		}
	}
	id, _ := item["id"].(string)
	return item, id != "" && len(id) <= 1023 && item["pk"] == "a" && nesting(item) <= 128
}

var systemNames = []string{"_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"}

// modelPatch applies a patch without conditions to an item. It may change the item even if the
// patch fails.
func modelPatch(item map[string]any, body any) (patched map[string]any, ok, known bool) {
	if m, ok := body.(map[string]any); ok {
		if m["condition"] != nil {
			return nil, false, false
		}
		body = m["operations"]
	}
	ops, _ := body.([]any)
	if len(ops) < 1 || len(ops) > 10 {
		return nil, false, true
	}
	for _, entry := range ops {
		op, _ := entry.(map[string]any)
		if !modelPatchOp(item, op) {
			return nil, false, true
		}
	}
	patched, ok = modelItem(item)
	return patched, ok, true
}

func modelPatchOp(item map[string]any, op map[string]any) bool {
	name, _ := op["op"].(string)
	name = strings.ToLower(name)
	path, ok := modelPath(op["path"])
	if !ok {
		return false
	}
	operand := op["value"]
	switch name {
	case "incr", "increment":
		return isNumber(operand) && modelEdit(item, path, func(c any, key string) (any, bool) {
			old, exists := modelGet(c, key)
			if _, isArray := c.([]any); !exists && isArray {
				return c, false
			}
			if !exists {
				return modelPut(c, key, operand)
			}
			sum, ok := modelSum(old, operand)
			if !ok {
				return c, false
			}
			return modelPut(c, key, sum)
		})
	case "add":
		return modelEdit(item, path, func(c any, key string) (any, bool) { return modelInsert(c, key, operand) })
	case "set":
		return modelEdit(item, path, func(c any, key string) (any, bool) {
			if key == "-" {
				return modelInsert(c, key, operand)
			}
			return modelPut(c, key, operand)
		})
	case "replace":
		return modelEdit(item, path, func(c any, key string) (any, bool) {
			if _, exists := modelGet(c, key); !exists {
				return c, false
			}
			return modelPut(c, key, operand)
		})
	case "remove":
		return modelEdit(item, path, modelRemove)
	case "move":
		from, ok := modelPath(op["from"])
		if !ok || len(path) > len(from) && slices.Equal(path[:len(from)], from) {
			return false
		}
		var moved any
		return modelEdit(item, from, func(c any, key string) (any, bool) {
			var exists bool
			if moved, exists = modelGet(c, key); !exists {
				return c, false
			}
			return modelRemove(c, key)
		}) && modelEdit(item, path, func(c any, key string) (any, bool) { return modelInsert(c, key, moved) })
	}
	return false
}

// modelPath parses the JSON pointer of a path that may be patched.
func modelPath(v any) ([]string, bool) {
	path, _ := v.(string)
	if len(path) < 2 || path[0] != '/' {
		return nil, false
	}
	steps := strings.Split(path[1:], "/")
	for i, s := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return steps, len(steps) <= 128 && steps[0] != "id" && steps[0] != "pk" && !slices.Contains(systemNames, steps[0])
}

// modelEdit changes the container at the end of a path.
func modelEdit(c any, path []string, change func(c any, key string) (any, bool)) bool {
	_, ok := modelEditWithin(c, path, change)
	return ok
}

func modelEditWithin(c any, path []string, change func(c any, key string) (any, bool)) (any, bool) {
	if len(path) == 1 {
		return change(c, path[0])
	}
	child, exists := modelGet(c, path[0])
	if !exists {
		return c, false
	}
	child, ok := modelEditWithin(child, path[1:], change)
	if !ok {
		return c, false
	}
	return modelPut(c, path[0], child)
}

// modelIndex parses an array index; -1 if it is none.
func modelIndex(key string) int {
	i, err := strconv.ParseUint(key, 10, 31)
	if err != nil || strconv.FormatUint(i, 10) != key {
		return -1
	}
	return int(i)
}

func modelGet(c any, key string) (any, bool) {
	switch c := c.(type) {
	case map[string]any:
		v, ok := c[key]
		return v, ok
	case []any:
		if i := modelIndex(key); i >= 0 && i < len(c) {
			return c[i], true
		}
	}
	return nil, false
}

// modelPut sets a member, or an existing element.
func modelPut(c any, key string, v any) (any, bool) {
	switch c := c.(type) {
	case map[string]any:
		c[key] = v
		return c, true
	case []any:
		if i := modelIndex(key); i >= 0 && i < len(c) {
			c[i] = v
			return c, true
		}
	}
	return c, false
}

// modelInsert sets a member, or inserts an element before an existing one.
func modelInsert(c any, key string, v any) (any, bool) {
	list, ok := c.([]any)
	if !ok {
		return modelPut(c, key, v)
	}
	i := modelIndex(key)
	if key == "-" {
		i = len(list)
	}
	if i < 0 || i > len(list) {
		return c, false
	}
	return slices.Insert(slices.Clone(list), i, v), true
}

func modelRemove(c any, key string) (any, bool) {
	if _, exists := modelGet(c, key); !exists {
		return c, false
	}
	if m, ok := c.(map[string]any); ok {
		delete(m, key)
		return m, true
	}
	i := modelIndex(key)
	return slices.Delete(slices.Clone(c.([]any)), i, i+1), true
}

func isNumber(v any) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

func modelSum(a, b any) (any, bool) {
	if !isNumber(a) || !isNumber(b) {
		return nil, false
	}
	i, ok1 := a.(int64)
	j, ok2 := b.(int64)
	if sum := i + j; ok1 && ok2 && (sum > i) == (j > 0) {
		return sum, true
	}
	f := asFloat(a) + asFloat(b)
	return wholeNumber(f), !math.IsInf(f, 0)
}

func asFloat(v any) float64 {
	if i, ok := v.(int64); ok {
		return float64(i)
	}
	return v.(float64)
}

// modelBatch runs a batch on the items of the partition key "a", by id. It does not support etags
// and conditions.
func modelBatch(items map[string]any, body any) (after map[string]any, ok, known bool) {
	ops, _ := body.([]any)
	if len(ops) < 1 || len(ops) > 100 {
		return nil, false, true
	}
	after = make(map[string]any)
	for id, item := range items {
		after[id], _ = decode(encode(item))
	}
	for _, entry := range ops {
		op, isObject := entry.(map[string]any)
		if !isObject {
			return nil, false, true
		}
		for _, name := range []string{"ifMatch", "ifNoneMatch"} {
			if op[name] != nil && op[name] != "" {
				return nil, false, false
			}
		}
	}
	for _, entry := range ops {
		if ok, known := modelBatchOp(after, entry.(map[string]any)); !ok || !known {
			return nil, false, known
		}
	}
	return after, true, true
}

func modelBatchOp(items map[string]any, op map[string]any) (ok, known bool) {
	kind, _ := op["operationType"].(string)
	id, isText := op["id"].(string)
	if !isText && op["id"] != nil {
		return false, true
	}
	_, exists := items[id]
	switch kind {
	case "Create", "Upsert", "Replace":
		item, ok := modelItem(op["resourceBody"])
		if !ok {
			return false, true
		}
		own := item["id"].(string)
		_, taken := items[own]
		if kind == "Create" && taken || kind == "Replace" && (!exists || own != id) {
			return false, true
		}
		items[own] = item
		return true, true
	case "Patch":
		if !exists {
			return false, true
		}
		item, ok, known := modelPatch(items[id].(map[string]any), op["resourceBody"])
		items[id] = item
		return ok, known
	case "Delete":
		delete(items, id)
		return exists, true
	case "Read":
		return exists, true
	}
	return false, true
}
