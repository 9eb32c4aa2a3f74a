package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// form checks the value of a property in a definition. A nil form accepts any value: Prepare and CheckPaths check it.
type form func(property string, v value.Value) error

type forms map[string]form

// definitionForms are the properties of a definition that the engine supports. It refuses all others, so that no
// client relies on a feature that the engine lacks. docs/engine.md lists both.
var definitionForms = forms{
	"id":              nil,
	"defaultTtl":      nil,
	"partitionKey":    object(forms{"paths": nil, "kind": nil, "version": nil, "systemKey": nil}),
	"uniqueKeyPolicy": object(forms{"uniqueKeys": list(object(forms{"paths": nil}))}),
	"indexingPolicy": object(forms{
		"indexingMode":     nil,
		"automatic":        ofKind(value.Bool, "a boolean"),
		"includedPaths":    list(object(pathForms)),
		"excludedPaths":    list(object(pathForms)),
		"compositeIndexes": list(list(object(forms{"path": nil, "order": nil}))),
		"spatialIndexes": list(object(forms{"path": matching(indexingPath), "types": list(oneOf(spatialTypes...)),
			"boundingBox": object(forms{"xmin": number, "ymin": number, "xmax": number, "ymax": number})}, "path")),
		"fullTextIndexes": list(object(forms{"path": matching(propertyPath)}, "path")),
		"vectorIndexes": list(object(forms{"path": matching(propertyPath),
			"type": oneOf("flat", "quantizedFlat", "diskANN"), "quantizerType": oneOf("product", "spherical"),
			"quantizationByteSize": whole(1, 512), "indexingSearchListSize": whole(25, 500),
			"vectorIndexShardKey": list(matching(propertyPath))}, "path", "type")),
	}),
	"conflictResolutionPolicy": object(forms{"mode": oneOf("LastWriterWins"),
		"conflictResolutionPath":      matching(regexp.MustCompile("^$|" + propertyPath.String())),
		"conflictResolutionProcedure": oneOf("")}),
	"geospatialConfig": object(forms{"type": oneOf("Geography", "Geometry")}, "type"),
	"changeFeedPolicy": object(forms{"retentionDuration": whole(0, 0)}), // only the latest version of an item is kept
	"fullTextPolicy": object(forms{"defaultLanguage": oneOf(languages...), "fullTextPaths": list(object(
		forms{"path": matching(propertyPath), "language": oneOf(languages...)}, "path"))}),
	"vectorEmbeddingPolicy": object(forms{"vectorEmbeddings": list(object(forms{"path": matching(propertyPath),
		"dataType": oneOf("float32", "float16", "int8", "uint8"), "dimensions": whole(1, 4096),
		"distanceFunction": oneOf("cosine", "dotproduct", "euclidean")},
		"path", "dataType", "dimensions", "distanceFunction"))}),
}

// pathForms are the properties of an included or excluded path. Clients of 2019 and before also send indexes, which
// the service accepts and leaves out.
var pathForms = forms{"path": nil, "indexes": list(object(forms{"kind": oneOf("Hash", "Range", "Spatial"),
	"dataType": oneOf(append([]string{"String", "Number"}, spatialTypes...)...), "precision": whole(-1, 100)}))}

// spatialTypes are the types of a spatial index. The service returns all of them, whatever was sent.
var spatialTypes = []string{"Point", "LineString", "Polygon", "MultiPolygon"}

// languages are the languages of a full-text policy.
var languages = []string{"en-US", "de-DE", "es-ES", "fr-FR", "it-IT", "pt-BR", "pt-PT"}

// CheckRequest fails if the definition in a request asks for something that the service refuses or the engine does not
// support. Definitions that earlier versions stored may have such parts. So it checks only the parts that differ from
// the stored definition old, which is undefined for a new container. complete is the definition sent with defaults.
func CheckRequest(sent, complete, old value.Value) error {
	changed := sent.Without(func(name string) bool {
		return isAnswer(name) || value.Equal(sent.Member(name), old.Member(name))
	})
	if err := object(definitionForms)("", changed); err != nil {
		return err
	}
	same := func(name string) bool { return value.Equal(complete.Member(name), old.Member(name)) }
	for _, index := range []struct{ name, policy, paths string }{
		{"vectorIndexes", "vectorEmbeddingPolicy", "vectorEmbeddings"},
		{"fullTextIndexes", "fullTextPolicy", "fullTextPaths"},
	} {
		if same("indexingPolicy") && same(index.policy) {
			continue
		}
		for _, entry := range sent.At("indexingPolicy", index.name).Elems() {
			path := entry.Member("path").Str()
			if !slices.ContainsFunc(sent.At(index.policy, index.paths).Elems(),
				func(v value.Value) bool { return v.Member("path").Str() == path }) {
				return apierror.BadRequest("The path %s of indexingPolicy.%s does not match any path of %s.",
					path, index.name, index.policy)
			}
		}
	}
	return checkPaths(changed.Without(same))
}

// isAnswer reports whether a property occurs only in responses. Clients send it back with a definition that they read.
func isAnswer(name string) bool {
	return IsSystemProperty(name) || name == "statistics" || strings.HasPrefix(name, "_") &&
		slices.Contains(containerFeeds, name[1:])
}

// asksNothing reports whether a value requests no feature. SDKs write such values for properties that are not set.
func asksNothing(v value.Value) bool {
	return slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}"}, v.JSON())
}

// valid returns the form of the values for which ok returns true.
func valid(supported string, ok func(value.Value) bool) form {
	return func(property string, v value.Value) error {
		if !ok(v) {
			return apierror.BadRequest("The property %s of a container is %.100s. This engine supports only %s.",
				property, v.JSON(), supported)
		}
		return nil
	}
}

func ofKind(kind value.Kind, noun string) form {
	return valid(noun, func(v value.Value) bool { return v.Kind() == kind })
}

var number = ofKind(value.Number, "a number")

func oneOf(texts ...string) form {
	return valid(fmt.Sprintf("one of %q", texts),
		func(v value.Value) bool { return v.Kind() == value.String && slices.Contains(texts, v.Str()) })
}

func whole(low, high int64) form {
	return valid(fmt.Sprintf("a whole number from %d to %d", low, high), func(v value.Value) bool {
		n, ok := v.Int()
		return ok && n >= low && n <= high
	})
}

func matching(path *regexp.Regexp) form {
	return valid("a path such as /a",
		func(v value.Value) bool { return v.Kind() == value.String && path.MatchString(v.Str()) })
}

func object(members forms, required ...string) form {
	return func(property string, v value.Value) error {
		if err := ofKind(value.Object, "an object")(property, v); err != nil {
			return err
		}
		for _, name := range required {
			if v.Member(name).Kind() <= value.Null {
				return apierror.BadRequest("The property %s.%s of a container is missing.", property, name)
			}
		}
		for _, m := range v.Members() {
			name := strings.TrimPrefix(property+"."+m.Name, ".")
			check, known := members[m.Name]
			if !known && !asksNothing(m.Value) {
				return apierror.BadRequest("The property %s of a container is not supported by this engine.", name)
			}
			if check != nil && m.Value.Kind() != value.Null {
				if err := check(name, m.Value); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func list(of form) form {
	return func(property string, v value.Value) error {
		if err := ofKind(value.Array, "a list")(property, v); err != nil {
			return err
		}
		for i, e := range v.Elems() {
			if err := of(fmt.Sprintf("%s[%d]", property, i), e); err != nil {
				return err
			}
		}
		return nil
	}
}
