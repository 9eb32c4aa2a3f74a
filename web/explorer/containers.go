package explorer

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	view "inkfeed/views/explorer"
)

const (
	usageHeader      = "X-Ms-Documentdb-Populatequotainfo"
	statisticsHeader = "X-Ms-Documentdb-Populatepartitionstatistics"
)

// showDatabases lists all containers with their number of items.
func (v *visit) showDatabases() error {
	databases, err := v.client.databases(v.ctx())
	if err != nil {
		return err
	}
	var list []view.Database
	for _, d := range databases {
		containers, err := v.client.containers(v.ctx(), d.ID)
		if err != nil {
			return err
		}
		database := view.Database{Name: d.ID}
		for _, c := range containers {
			_, a, err := v.client.container(v.ctx(), containerRef{d.ID, c.ID}, usageHeader, "true")
			if err != nil {
				return err
			}
			database.Containers = append(database.Containers, summary(d.ID, c, a))
		}
		list = append(list, database)
	}
	return v.show(http.StatusOK, view.Databases(v.page("Databases"), list))
}

// summary describes a container from its definition and the headers of reading it.
func summary(database string, c resource, a answer) view.ContainerSummary {
	used := a.header.Get("X-Ms-Resource-Usage")
	return view.ContainerSummary{
		Container:    view.Container{Database: database, Name: c.ID},
		PartitionKey: c.PartitionKey.String(),
		Items:        usage(used, "documentsCount"), ItemsKB: usage(used, "documentsSize"),
		TotalKB: usage(used, "collectionSize"),
	}
}

// String lists the paths of the partition key.
func (k keyDefinition) String() string {
	if k.SystemKey {
		return "none"
	}
	return strings.Join(k.Paths, ", ")
}

// showContainer shows a container's definition, its size and its feed ranges.
func (v *visit) showContainer() error {
	c, a, err := v.client.container(v.ctx(), v.at, usageHeader, "true", statisticsHeader, "true")
	if err != nil {
		return err
	}
	ranges, err := v.client.feedRanges(v.ctx(), v.at)
	if err != nil {
		return err
	}
	model := view.ContainerPage{Summary: summary(v.at.database, c, a)}
	if model.Definition, err = definition(a.body); err != nil {
		return err
	}
	for _, r := range ranges {
		row := view.FeedRange{ID: r.ID, Min: r.MinInclusive, Max: r.MaxExclusive,
			Parents: strings.Join(r.Parents, ", ")}
		for _, s := range c.Statistics {
			if s.ID == r.ID {
				row.Items, row.Keys, row.KB = s.Items, s.Keys, s.Size
			}
		}
		model.Ranges = append(model.Ranges, row)
	}
	model.Page = v.page(v.at.name)
	return v.show(http.StatusOK, view.ContainerDetails(model))
}

// definition returns a container as indented JSON without its statistics.
func definition(body []byte) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return "", err
	}
	delete(members, "statistics")
	text, err := json.MarshalIndent(members, "", "  ")
	return string(text), err
}

// indented returns JSON with indentation. It returns the text itself if it is not JSON.
func indented(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
