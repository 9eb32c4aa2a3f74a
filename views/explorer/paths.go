package explorer

import (
	"net/url"
	"strconv"
)

// Addresses of the explorer.
const (
	Root       = "/_explorer/" // the session cookie is limited to it
	LogInPath  = Root + "login"
	LogOutPath = Root + "logout"
)

// Container names a container.
type Container struct{ Database, Name string }

// Path returns the address of a page of the container. An empty part means its first page.
func (c Container) Path(part string) string {
	path := Root + "dbs/" + url.PathEscape(c.Database) + "/colls/" + url.PathEscape(c.Name)
	if part == "" {
		return path
	}
	return path + "/" + part
}

// with returns the address of a page of the container with query parameters, which are pairs of a name and a value.
func (c Container) with(part string, parameters ...string) string {
	values := make(url.Values)
	for i := 0; i+1 < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	return c.Path(part) + "?" + values.Encode()
}

// ItemPath returns the address of an item.
func (c Container) ItemPath(i Item) string { return c.itemPath("item", i) }

// itemPath returns the address of one of the pages of an item.
func (c Container) itemPath(part string, i Item) string {
	return c.with(part, "id", i.ID, "key", i.Key)
}

// units formats a request charge.
func units(charge float64) string { return strconv.FormatFloat(charge, 'f', 2, 64) + " RU" }
