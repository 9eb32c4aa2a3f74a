package domain

// Details are the properties of a post that only pages show: no query asks for them and no count changes
// them. Items store them as one nested object, which one patch operation sets, so a property that is
// added here needs no change of the storage. It must be comparable and have a JSON name.
type Details struct{}

// DetailsOf reads details from a form, as typed.
func DetailsOf(form interface{ Get(field string) string }) Details { return Details{} }

// clean validates and normalises details for publishing. The error names each bad field.
func (d Details) clean() (Details, error) { return d, nil }
