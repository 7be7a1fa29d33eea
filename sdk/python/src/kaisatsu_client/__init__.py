"""Client of Kaisatsu, a server for route maps and image recognition.

    from kaisatsu_client import Kaisatsu

    with Kaisatsu("http://127.0.0.1:8640", key) as kaisatsu:
        for station in kaisatsu.maps.station_near(35.69, 139.70).points:
            print(station.name, station.distance)
        print(kaisatsu.recognition.classify("photo.jpg").candidates[0].tag)

`AsyncKaisatsu` is the same for asyncio. Errors are subclasses of `KaisatsuError`.
"""

from ._async.client import AsyncKaisatsu
from ._async.data_sets import AsyncDataSets
from ._async.images import AsyncImages
from ._async.maps import AsyncMaps
from ._async.operator import AsyncCatalogue, AsyncCollections
from ._async.recognition import AsyncRecognition
from ._settings import Sent
from ._sync.client import Kaisatsu
from ._sync.data_sets import DataSets
from ._sync.images import Images
from ._sync.maps import Maps
from ._sync.operator import Catalogue, Collections
from ._sync.recognition import Recognition
from ._version import __version__
from .errors import (
    ApiError,
    BadRequestError,
    ConflictError,
    DataSetFailedError,
    ForbiddenError,
    KaisatsuError,
    MalformedAnswerError,
    NotFoundError,
    RateLimitedError,
    RetryableError,
    ServerError,
    TimeoutError,
    TooLargeError,
    TransportError,
    UnauthorisedError,
    UnavailableError,
)
from .models.data import DataSetImage
from .models.recognition import Site
from .pictures import Picture

__all__ = [
    "ApiError",
    "AsyncCatalogue",
    "AsyncCollections",
    "AsyncDataSets",
    "AsyncImages",
    "AsyncKaisatsu",
    "AsyncMaps",
    "AsyncRecognition",
    "BadRequestError",
    "Catalogue",
    "Collections",
    "ConflictError",
    "DataSetFailedError",
    "DataSetImage",
    "DataSets",
    "ForbiddenError",
    "Images",
    "Kaisatsu",
    "KaisatsuError",
    "MalformedAnswerError",
    "Maps",
    "NotFoundError",
    "Picture",
    "RateLimitedError",
    "Recognition",
    "RetryableError",
    "Sent",
    "ServerError",
    "Site",
    "TimeoutError",
    "TooLargeError",
    "TransportError",
    "UnauthorisedError",
    "UnavailableError",
    "__version__",
    "errors",
    "models",
    "pictures",
]
