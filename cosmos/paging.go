package cosmos

// pageOf adds the bounds of a page, with one row more than it shows.
func pageOf(page, size int, params parameters) parameters {
	params["offset"] = (page - 1) * size
	params["limit"] = size + 1
	return params
}
