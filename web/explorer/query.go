package explorer

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	view "inkfeed/views/explorer"
)

// crossPartitionRefused is the substatus of a query across partitions that the service's gateway leaves to SDKs. Its
// message tells developers of SDKs to ignore it.
const crossPartitionRefused = "1004"

const (
	defaultPageSize = "100"
	maxPageSize     = 1000
)

// supportedFeatures are the features of queries that the plan may require of a client. The explorer names all of them,
// because it shows the plan and does not execute it.
const supportedFeatures = "Aggregate, CompositeAggregate, CountIf, DCount, Distinct, GroupBy, HybridSearch, " +
	"ListAndSetAggregate, MultipleAggregates, MultipleOrderBy, NonStreamingOrderBy, NonValueAggregate, " +
	"OffsetAndLimit, OrderBy, Top, WeightedRankFusion"

func (v *visit) showQuery() error {
	form := view.QueryForm{Query: "SELECT * FROM c", PageSize: defaultPageSize}
	if _, _, err := v.client.container(v.ctx(), v.at); err != nil {
		return err
	}
	return v.show(http.StatusOK, view.Query(v.page("Query "+v.at.name), form, nil))
}

// runQuery shows a page of a query's results. Errors of the form and of the engine are shown beside the fields with
// the text that was typed.
func (v *visit) runQuery() error {
	form := view.QueryForm{Query: v.r.PostFormValue("query"), Parameters: v.r.PostFormValue("parameters"),
		Key: v.r.PostFormValue("key"), PageSize: v.r.PostFormValue("size"),
		Continuation: v.r.PostFormValue("continuation")}
	form.Errors.Fields = make(map[string]locale.Message)
	body, key := readQuery(&form)
	var result *view.QueryResult
	status := http.StatusOK
	if len(form.Errors.Fields) == 0 {
		var err error
		result, err = v.execute(form, body, key)
		if refused, ok := errors.AsType[*refusal](err); ok && refused.status != http.StatusNotFound {
			form.Errors.Fields["query"] = locale.Verbatim(refused.Message)
			if refused.substatus == crossPartitionRefused {
				form.Errors.Fields["query"] = locale.Verbatim("The service's gateway does not run this query across " +
					"partitions. " +
					"Enter a partition key, or start the engine with --permissive.")
			}
			status = refused.status
		} else if err != nil {
			return err
		}
	} else {
		status = http.StatusUnprocessableEntity
	}
	return v.show(status, view.Query(v.page("Query "+v.at.name), form, result))
}

// readQuery returns the body of the request for a query and its partition key. It adds the errors of the form.
func readQuery(form *view.QueryForm) (body []byte, key string) {
	fail := func(field, message string) { form.Errors.Fields[field] = locale.Verbatim(message) }
	if strings.TrimSpace(form.Query) == "" {
		fail("query", "Enter a query.")
	}
	key, err := parseKey(form.Key)
	if err != nil {
		fail("key", "The partition key is not JSON: "+err.Error()+".")
	}
	if n, err := strconv.Atoi(form.PageSize); err != nil || n < 1 || n > maxPageSize {
		fail("size", "Enter a number from 1 to "+strconv.Itoa(maxPageSize)+".")
	}
	type parameter struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	parameters := []parameter{}
	if strings.TrimSpace(form.Parameters) != "" {
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(form.Parameters), &values); err != nil {
			fail("parameters", "The parameters are not a JSON object: "+err.Error()+".")
		}
		for name, value := range values {
			parameters = append(parameters, parameter{name, value})
		}
		slices.SortFunc(parameters, func(a, b parameter) int { return strings.Compare(a.Name, b.Name) })
	}
	body, err = json.Marshal(map[string]any{"query": form.Query, "parameters": parameters})
	if err != nil {
		fail("parameters", err.Error())
	}
	return body, key
}

// execute sends the query, and on its first page also asks for its plan. In one partition, the engine executes some
// queries that it cannot plan for a client. The result then has the error of the plan.
func (v *visit) execute(form view.QueryForm, body []byte, key string) (*view.QueryResult, error) {
	headers := []string{"Content-Type", "application/query+json", "X-Ms-Documentdb-Isquery", "True",
		"X-Ms-Documentdb-Query-Enablecrosspartition", "True"}
	if key != "" {
		headers = append(headers, keyHeader, key)
	}
	page := append(slices.Clone(headers), pageSizeHeader, form.PageSize,
		"X-Ms-Documentdb-Populatequerymetrics", "True", "X-Ms-Cosmos-Populateindexmetrics-V2", "True")
	if form.Continuation != "" {
		page = append(page, continuationHeader, form.Continuation)
	}
	a, err := v.client.send(v.ctx(), http.MethodPost, v.at.path("docs"), body, page...)
	if err != nil {
		return nil, err
	}
	var list documents
	if err := json.Unmarshal(a.body, &list); err != nil {
		return nil, err
	}
	result := &view.QueryResult{Charge: a.charge, Count: len(list.Documents), Next: a.header.Get(continuationHeader)}
	for _, d := range list.Documents {
		result.Documents = append(result.Documents, indented(d))
	}
	result.Metrics = metrics(a.header.Get("X-Ms-Documentdb-Query-Metrics"))
	if text, err := url.PathUnescape(a.header.Get("X-Ms-Cosmos-Index-Utilization")); err == nil {
		result.Indexes = indented([]byte(text))
	}
	if form.Continuation != "" {
		return result, nil
	}
	plan, err := v.client.send(v.ctx(), http.MethodPost, v.at.path("docs"), body, append(headers,
		"X-Ms-Cosmos-Is-Query-Plan-Request", "True", "X-Ms-Cosmos-Supported-Query-Features", supportedFeatures)...)
	if refused, ok := errors.AsType[*refusal](err); ok {
		result.PlanError = refused.Message
		return result, nil
	}
	if err != nil {
		return nil, err
	}
	result.Plan = indented(plan.body)
	return result, nil
}

// metrics divides the header of query metrics into names and values. Values of zero are left out.
func metrics(header string) (list []view.Metric) {
	for field := range strings.SplitSeq(header, ";") {
		name, text, _ := strings.Cut(field, "=")
		if number, err := strconv.ParseFloat(text, 64); err == nil && number != 0 {
			list = append(list, view.Metric{Name: name, Value: text})
		}
	}
	return list
}
