package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"inkfeed/cosmos/schema"
	"inkfeed/web/cli/config"
)

func setupSchema(c *config.Config) func(context.Context, output) error {
	write := writeSchemaJSON
	c.Bind(config.Flag("format", "json", func(text string) error {
		switch text {
		case "json":
			write = writeSchemaJSON
		case "bicep":
			write = writeSchemaBicep
		default:
			return fmt.Errorf("%q is neither json nor bicep", text)
		}
		return nil
	}, "`format` of the definitions: json, or bicep for a module that creates the containers in an existing database"))
	return func(_ context.Context, out output) error {
		definitions, err := containerDefinitions()
		if err != nil {
			return err
		}
		return write(out.stdout, definitions)
	}
}

// containerDefinitions returns the containers of the database as the resource documents of the Cosmos DB REST
// protocol, with the properties id, partitionKey, defaultTtl and indexingPolicy. Azure Resource Manager names these
// properties likewise.
func containerDefinitions() ([]map[string]any, error) {
	var definitions []map[string]any
	for _, container := range schema.ContainerDefinitions() {
		text, err := json.Marshal(container)
		if err != nil {
			return nil, fmt.Errorf("encode the container %s: %w", container.ID, err)
		}
		var definition map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // so that no number is written as 3.1536e+07
		if err := decoder.Decode(&definition); err != nil {
			return nil, fmt.Errorf("decode the container %s: %w", container.ID, err)
		}
		policy, ok := definition["indexingPolicy"].(map[string]any)
		if !ok {
			return nil, errors.New("the container " + container.ID + " has no indexing policy")
		}
		// azcosmos writes "Consistent". The service answers "consistent", the only form in Bicep's types.
		policy["indexingMode"] = strings.ToLower(string(container.IndexingPolicy.IndexingMode))
		definitions = append(definitions, definition)
	}
	return definitions, nil
}

func writeSchemaJSON(w io.Writer, definitions []map[string]any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"containers": definitions})
}
