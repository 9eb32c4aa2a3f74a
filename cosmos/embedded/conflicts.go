package embedded

import "inkfeed/cosmos/embedded/internal/apierror"

// queryConflicts returns an empty list. Conflicts occur between writes in several regions, and the
// engine has one region.
func (e *Engine) queryConflicts(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	return e.queryResources(q, "Conflicts", c.Rid(), nil)
}

// readConflict reads or deletes a conflict. It always fails with 404, since there are no conflicts.
func (e *Engine) readConflict(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	if _, _, err := q.partition(c); err != nil {
		return nil, err
	}
	return nil, apierror.ItemMissing()
}
