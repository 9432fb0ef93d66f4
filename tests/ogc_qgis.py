"""Has QGIS read everything that the daemon serves as OGC API Features, as its "WFS / OGC API - Features" source does."""

import sys

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsFeatureRequest,
    QgsProviderRegistry,
    QgsRectangle,
    QgsVectorLayer,
)

COLLECTIONS = {"zones": "kind", "findings": "verdict", "positions": "vessel", "tracks": "vessel"}


def layer_of(url, name, more=""):
    layer = QgsVectorLayer(f"url='{url}' typename='{name}' {more}", name, "OAPIF")
    assert layer.isValid(), f"{name}: {layer.error().summary()} {layer.dataProvider() and layer.dataProvider().error().summary()}"
    return layer


def read_all(url):
    assert "OAPIF" in QgsProviderRegistry.instance().providerList(), "QGIS has no provider for OGC API Features"
    for name, key in COLLECTIONS.items():
        layer = layer_of(url, name)
        assert layer.crs().authid() in ("OGC:CRS84", "EPSG:4326"), layer.crs().authid()
        features = list(layer.getFeatures())
        assert features and len(features) == layer.featureCount(), (name, len(features), layer.featureCount())
        assert key in [field.name() for field in layer.fields()], [field.name() for field in layer.fields()]
        assert all(feature.hasGeometry() and not feature.geometry().isNull() for feature in features), name
        # A map may be drawn so; it is passed on as it is.
        for feature in features:
            for fault in feature.geometry().validateGeometry(Qgis.GeometryValidationEngine.Geos):
                print(f"QGIS: {name}: {feature[0]}: {fault.what()}")
        paged = list(layer_of(url, name, "pageSize='3' restrictToRequestBBOX='1'").getFeatures())
        assert len(paged) == len(features), (name, len(paged), len(features))
        whole, around = layer.extent(), features[0].geometry().boundingBox()
        inside = list(layer.getFeatures(QgsFeatureRequest().setFilterRect(whole.buffered(0.01))))
        assert len(inside) == len(features), (name, len(inside))
        near = {feature.id() for feature in layer.getFeatures(QgsFeatureRequest().setFilterRect(around))}
        assert features[0].id() in near
        far = list(layer.getFeatures(QgsFeatureRequest().setFilterRect(QgsRectangle(0, 0, 1, 1))))
        assert not far, (name, len(far))
        value = features[0][key]
        picked = list(layer.getFeatures(QgsFeatureRequest().setFilterExpression(f"\"{key}\" = '{value}'")))
        assert picked and all(feature[key] == value for feature in picked)
        print(f"QGIS: {name}: {len(features)} features, {len(picked)} with {key} {value}")


application = QgsApplication([], False)
application.initQgis()
# What is left of layers when QGIS ends makes it crash: they end with this call.
read_all(sys.argv[1])
application.exitQgis()
