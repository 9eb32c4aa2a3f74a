package items

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// MaxPatchOps is the maximum number of operations of a patch.
const MaxPatchOps = 10

// patch is a partial update. Its operations apply in order, all or none, if the condition is true.
type patch struct {
	condition *query.Statement // nil: none
	ops       []patchOp
}

type patchOp struct {
	op    string
	path  []string
	from  []string // source of a move
	value value.Value
}

// ReadPatch parses a patch: an object with operations and an optional condition, or an array of
// operations. parse parses the condition.
func ReadPatch(
	c *catalog.Container,
	body value.Value,
	parse func(condition string) (*query.Statement, error),
) (*patch, error) {
	list := body
	p := new(patch)
	if body.Kind() == value.Object {
		list = body.Member("operations")
		if text := body.Member("condition"); text.Kind() > value.Null {
			stmt, err := parse(text.Str())
			if err != nil {
				return nil, err
			}
			p.condition = stmt
		}
	}
	if list.Kind() != value.Array || len(list.Elems()) == 0 {
		return nil, apierror.BadRequest("A patch requires a list of operations.")
	}
	if len(list.Elems()) > MaxPatchOps {
		return nil, apierror.BadRequest("The number of patch operations can't exceed '%d'.", MaxPatchOps)
	}
	for _, entry := range list.Elems() {
		op, err := readPatchOp(c, entry)
		if err != nil {
			return nil, err
		}
		p.ops = append(p.ops, op)
	}
	return p, nil
}

func readPatchOp(c *catalog.Container, entry value.Value) (op patchOp, err error) {
	op.op = strings.ToLower(entry.Member("op").Str())
	if op.path, err = patchPath(c, entry.Member("path").Str()); err != nil {
		return op, err
	}
	// The Go SDK omits a null value.
	if op.value = entry.Member("value"); !op.value.Defined() {
		op.value = value.NullValue()
	}
	switch op.op {
	case "add", "set", "replace", "remove":
	case "incr", "increment":
		op.op = "incr"
		if op.value.Kind() != value.Number {
			return op, apierror.BadRequest("The value of an increment is not a number.")
		}
	case "move":
		if op.from, err = patchPath(c, entry.Member("from").Str()); err != nil {
			return op, err
		}
		if len(op.path) > len(op.from) && slices.Equal(op.path[:len(op.from)], op.from) {
			return op, apierror.BadRequest("A value cannot be moved into itself.")
		}
	default:
		return op, apierror.BadRequest("The patch operation '%s' is not supported.", op.op)
	}
	return op, nil
}

// patchPath parses a JSON pointer. It fails for paths that cannot be patched.
func patchPath(c *catalog.Container, path string) ([]string, error) {
	if !strings.HasPrefix(path, "/") || path == "/" {
		return nil, apierror.BadRequest("The patch path '%s' is not valid.", path)
	}
	steps := value.SplitPointer(path)
	if len(steps) > value.MaxDepth {
		return nil, apierror.BadRequest("The patch path is nested too deeply.")
	}
	if steps[0] == "id" || catalog.IsSystemProperty(steps[0]) {
		return nil, apierror.BadRequest("The path '/%s' cannot be patched.", steps[0])
	}
	for _, key := range c.KeyPaths {
		n := min(len(key), len(steps))
		if slices.Equal(key[:n], steps[:n]) {
			return nil, apierror.BadRequest("The partition key cannot be patched.")
		}
	}
	return steps, nil
}

// maxConditionSteps is the maximum number of steps of a condition, about a fifteenth of a second: no
// other write can run meanwhile.
const maxConditionSteps = 200_000

// apply returns the patched document.
func (p *patch) apply(ctx context.Context, c *catalog.Container, old *Stored) (*document, error) {
	item, err := value.Parse(old.Body)
	if err != nil {
		return nil, err
	}
	if p.condition != nil {
		subject := item
		if p.condition.NeedsSystem() {
			if subject, err = value.Parse(string(old.Render(c, false))); err != nil {
				return nil, err
			}
		}
		env := query.NewLimitedEnv(ctx, p.condition, nil, maxConditionSteps)
		env.Bind(subject)
		passed := env.Passes(p.condition.Where)
		if err := env.Err(); err != nil {
			return nil, err
		}
		if !passed {
			e := apierror.PreconditionFailed()
			e.Substatus = apierror.SubConditionFailed
			return nil, e
		}
	}
	before := keysOf(c.Table, item)
	for _, op := range p.ops {
		if item, err = op.apply(item); err != nil {
			return nil, err
		}
	}
	d, err := NewDocument(c, item)
	if err == nil {
		d.before = before
	}
	return d, err
}

func (op patchOp) apply(item value.Value) (value.Value, error) {
	if op.op != "move" {
		return edit(item, op.path, op.op, op.value)
	}
	moved := item
	for _, step := range op.from {
		if moved.Kind() == value.Array {
			i, ok := arrayIndex(step, len(moved.Elems()))
			if !ok {
				return item, errPatchPath(op.from)
			}
			moved = moved.Elem(i)
			continue
		}
		moved = moved.Member(step)
	}
	if !moved.Defined() {
		return item, errPatchPath(op.from)
	}
	item, err := edit(item, op.from, "remove", value.Value{})
	if err != nil {
		return item, err
	}
	return edit(item, op.path, "add", moved)
}

func errPatchPath(path []string) *apierror.Error {
	return apierror.BadRequest("The patch cannot be applied: there is nothing at the path '%s' that it could change.",
		value.Pointer(path))
}

// edit applies one operation at a path below v and returns the result.
func edit(v value.Value, path []string, op string, operand value.Value) (value.Value, error) {
	if v.Kind() == value.Array {
		return editArray(v, path, op, operand)
	}
	if v.Kind() != value.Object {
		return v, errPatchPath(path)
	}
	name := path[0]
	old := v.Member(name)
	if len(path) > 1 {
		next, err := edit(old, path[1:], op, operand)
		return v.With(name, next), err
	}
	switch {
	case op == "remove" && old.Defined():
		return v.Without(func(member string) bool { return member == name }), nil
	case op == "remove", op == "replace" && !old.Defined():
		return v, errPatchPath(path)
	case op == "incr" && old.Defined():
		next, err := increment(old, operand)
		return v.With(name, next), err
	}
	return v.With(name, operand), nil
}

// editArray is edit for an array. The index - is the position after the last element.
func editArray(v value.Value, path []string, op string, operand value.Value) (value.Value, error) {
	elems := slices.Clone(v.Elems())
	i, ok := arrayIndex(path[0], len(elems)+1)
	if path[0] == "-" && len(path) == 1 {
		i, ok = len(elems), op == "add" || op == "set"
	}
	if !ok || i == len(elems) && (len(path) > 1 || op != "add" && path[0] != "-") {
		return v, errPatchPath(path)
	}
	if len(path) > 1 {
		next, err := edit(elems[i], path[1:], op, operand)
		elems[i] = next
		return value.OfArray(elems), err
	}
	switch {
	case op == "add" || i == len(elems):
		elems = slices.Insert(elems, i, operand)
	case op == "remove":
		elems = slices.Delete(elems, i, i+1)
	case op == "incr":
		next, err := increment(elems[i], operand)
		if err != nil {
			return v, err
		}
		elems[i] = next
	default:
		elems[i] = operand
	}
	return value.OfArray(elems), nil
}

func increment(old, by value.Value) (value.Value, error) {
	sum := query.Add(old, by)
	if !sum.Defined() {
		return old, apierror.BadRequest("The patch cannot be applied: only a number can be incremented.")
	}
	return sum, nil
}

// arrayIndex parses an index below n in the syntax of JSON pointers.
func arrayIndex(step string, n int) (int, bool) {
	i, err := strconv.Atoi(step)
	return i, err == nil && i >= 0 && i < n && (step == "0" || step[0] >= '1' && step[0] <= '9')
}
