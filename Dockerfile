# discreet as a command: docker run --rm -v "$PWD:/data" discreet look people.csv
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ make
COPY . /discreet
WORKDIR /discreet
RUN pip wheel --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
COPY --from=build /wheels /wheels
COPY requirements.lock /requirements.lock
RUN pip install --no-cache-dir --no-deps --require-hashes -r /requirements.lock \
    && pip uninstall -y cmake nanobind ninja scikit-build-core \
    && pip install --no-cache-dir --no-deps /wheels/*.whl && useradd --create-home discreet
USER discreet
WORKDIR /data
ENTRYPOINT ["discreet"]
