package embedded

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// continuation is where the next page of a query begins: after an item of a range, or
// after so many rows.
type continuation struct {
	rng  int
	rid  int64
	done int64
}

// token writes the continuation as text that clients send back. It is bound to the
// container and to the query's text.
func (n *continuation) token(c *container, spec *querySpec) string {
	return fmt.Sprintf("1.%d.%d.%d.%d.%x", c.num, n.rng, n.rid, n.done, fingerprint(spec.text))
}

func readContinuation(text string, c *container, spec *querySpec) (n continuation, err error) {
	if text == "" {
		return n, nil
	}
	var num int64
	var sum uint32
	_, err = fmt.Sscanf(text, "1.%d.%d.%d.%d.%x", &num, &n.rng, &n.rid, &n.done, &sum)
	if err != nil || num != c.num || sum != fingerprint(spec.text) || n.rid < 0 || n.done < 0 ||
		n.token(c, spec) != text {
		return n, badRequest("The continuation token is not valid for this query.")
	}
	return n, nil
}

func fingerprint(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// index is the position of the continuation's range among those of the target.
func (n *continuation) index(ranges []*feedRange) int {
	return max(slices.IndexFunc(ranges, func(r *feedRange) bool { return r.id == n.rng }), 0)
}
