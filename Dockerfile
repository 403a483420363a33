# Token Grove in a container, for a user without rights, in a file system that cannot be written. docs/deploy.md
# says how to run it.
FROM python:3.11-slim

WORKDIR /app
ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    HOME=/tmp \
    NUMBA_CACHE_DIR=/tmp/kernels \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    TOKEN_GROVE_FILES=off

COPY requirements.txt constraints.txt ./
RUN pip install -r requirements.txt -c constraints.txt
COPY . .
# Loops that Numba compiles are compiled here once, and copied at each start: it takes none from a folder that it
# cannot write.
RUN NUMBA_CACHE_DIR=/app/kernels python -m tools.compile_kernels && useradd --system --no-create-home grove
USER grove

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as ask; path = os.environ.get('STREAMLIT_SERVER_BASE_URL_PATH', '').strip('/'); ask.urlopen(f\"http://127.0.0.1:{os.environ['STREAMLIT_SERVER_PORT']}/{path + '/' if path else ''}_stcore/health\", timeout=4)"]
CMD ["sh", "-c", "cp -r kernels/. \"$NUMBA_CACHE_DIR\"; exec python -m streamlit run app.py"]
