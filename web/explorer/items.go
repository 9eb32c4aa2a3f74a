package explorer

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	view "inkfeed/views/explorer"
)

// itemsPerPage is the number of items on a page of a list.
const itemsPerPage = "50"

const (
	keyHeader          = "X-Ms-Documentdb-Partitionkey"
	continuationHeader = "X-Ms-Continuation"
	pageSizeHeader     = "X-Ms-Max-Item-Count"
)

// showItems lists a page of the items of a container, in the order of its feed ranges.
func (v *visit) showItems() error {
	c, _, err := v.client.container(v.ctx(), v.at)
	if err != nil {
		return err
	}
	var list documents
	a, err := v.client.read(v.ctx(), &list, v.at.path("docs"), pageSizeHeader, itemsPerPage,
		continuationHeader, v.r.FormValue("continuation"))
	if err != nil {
		return err
	}
	model := view.ItemsPage{First: v.r.FormValue("continuation") == "", Next: a.header.Get(continuationHeader)}
	for _, d := range list.Documents {
		model.Items = append(model.Items, itemOf(c.PartitionKey, d))
	}
	model.Page = v.page("Items of " + v.at.name)
	return v.show(http.StatusOK, view.Items(model))
}

// itemOf reads the system properties of an item. It decodes a map, because a struct would ignore the case of names: an
// item's own property "ID" would become its id.
func itemOf(key keyDefinition, document []byte) view.Item {
	var properties map[string]json.RawMessage
	if json.Unmarshal(document, &properties) != nil {
		return view.Item{Text: string(document)} // not an item
	}
	return view.Item{ID: property[string](properties, "id"), Key: key.of(document),
		ETag: property[string](properties, "_etag"), LSN: strconv.FormatInt(property[int64](properties, "_lsn"), 10),
		Time: time.Unix(property[int64](properties, "_ts"), 0).UTC(), Text: indented(document)}
}

// property decodes a property. It returns the zero value if the property is missing or has another type, which both
// occur only in items that were typed and not stored yet.
func property[T any](properties map[string]json.RawMessage, name string) (v T) {
	_ = json.Unmarshal(properties[name], &v)
	return v
}

// item reads the item that the request names by its id and partition key.
func (v *visit) item() (view.Item, error) {
	c, _, err := v.client.container(v.ctx(), v.at)
	if err != nil {
		return view.Item{}, err
	}
	a, err := v.client.send(v.ctx(), http.MethodGet, v.at.path("docs", v.r.FormValue("id")), nil,
		keyHeader, v.r.FormValue("key"))
	if refused, ok := errors.AsType[*refusal](err); ok && refused.status == http.StatusUnauthorized {
		return view.Item{}, &refusal{status: http.StatusNotFound,
			Message: "The engine's gateway cannot address this id. Query the item by its other properties."}
	}
	if err != nil {
		return view.Item{}, err
	}
	item := itemOf(c.PartitionKey, a.body)
	item.Charge = a.charge
	return item, nil
}

func (v *visit) showItem() error {
	item, err := v.item()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, view.ShowItem(v.page("Item "+item.ID), item, v.r.FormValue("saved") != ""))
}
