@echo off
rem Finds Python or uv, and runs start.py with it: on Windows. Words come after it: --class.
chcp 65001 >nul
title Token Grove
set "PATH=%PATH%;%USERPROFILE%\.local\bin"
set "IS_RIGHT=import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))"

for %%v in (3.13 3.14 3.12 3.11) do py -%%v -c "" >nul 2>nul && set "VERSION=%%v" && goto py
python -c "%IS_RIGHT%" >nul 2>nul && goto python
where uv >nul 2>nul && goto uv
echo Token Grove needs Python 3.11 to 3.14, which was not found here: get 3.13 from https://www.python.org/downloads/ and start this again.
goto failed

:py
py -%VERSION% "%~dp0start.py" %*
goto ended

:python
python "%~dp0start.py" %*
goto ended

:uv
uv run --no-project --python 3.13 "%~dp0start.py" %*

:ended
if not errorlevel 1 exit /b 0

:failed
pause
exit /b 1
