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

// itemOf reads the system properties of an item.
func itemOf(key keyDefinition, document []byte) view.Item {
	var system struct {
		ID   string `json:"id"`
		ETag string `json:"_etag"`
		TS   int64  `json:"_ts"`
		LSN  int64  `json:"_lsn"`
	}
	if json.Unmarshal(document, &system) != nil {
		return view.Item{Text: string(document)} // not an item
	}
	return view.Item{ID: system.ID, Key: key.of(document), ETag: system.ETag, LSN: strconv.FormatInt(system.LSN, 10),
		Time: time.Unix(system.TS, 0).UTC(), Text: indented(document)}
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
