package query

// PartialAggregate reports whether the statement is SELECT VALUE of one aggregate over all rows
// whose partial results can be combined.
func (s *Statement) PartialAggregate() bool {
	a := s.ValueAggregate()
	if a == nil || len(s.GroupBy) > 0 || len(s.OrderBy) > 0 || s.Distinct || s.Top != nil || s.Offset != nil ||
		s.Constant() {
		return false
	}
	return a.Name != "AVG" // an average cannot be computed from partial averages
}
