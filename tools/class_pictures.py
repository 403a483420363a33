"""Makes the pictures of docs/class.md from the running app: python -m tools.class_pictures."""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import CHROMIUM_FLAGS, find_chromium, free_port, serve

DOCS = Path(__file__).parent.parent / "docs"
SHOWN_AS = "192.168.1.20:8501"
"""The address in the pictures: one that a home's network gives."""
COLOURS = 64


def save_picture(page: Page, name: str) -> None:
    """Save what the page shows, in few colours."""
    path = DOCS / f"class-{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1000} KB")


def main() -> None:
    """Run a class with one phone, and save a picture of each step."""
    port = free_port()
    flags = [*CHROMIUM_FLAGS, f"--host-resolver-rules=MAP {SHOWN_AS} 127.0.0.1:{port}"]
    with serve(port=port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        teacher = browser.new_context(viewport={"width": 960, "height": 480})
        page = teacher.new_page()
        page.goto(f"http://{SHOWN_AS}/lessons?lesson=token")
        button = page.get_by_role("link", name="Run with a class")
        button.hover()
        page.wait_for_timeout(1000)  # until the letters and the panels have their places
        save_picture(page, "lesson")
        with teacher.expect_page() as opened:
            button.click()
        wall = opened.value
        expect(wall.get_by_text("Nobody has joined yet.")).to_be_visible()
        save_picture(wall, "wall")
        phone = browser.new_page(viewport={"width": 360, "height": 600}, device_scale_factor=1.5)
        phone.goto(wall.url.removesuffix("/wall"))
        expect(wall.get_by_text("1 phone joined")).to_be_visible()
        wall.keyboard.press("ArrowRight")
        phone.locator("main label, main button").first.click()
        phone.get_by_role("button", name="Send").click()
        save_picture(phone, "phone")
        expect(wall.get_by_text("1 of 1 have answered")).to_be_visible()
        wall.keyboard.press("ArrowRight")
        wall.wait_for_timeout(500)  # until the bars have grown
        save_picture(wall, "answers")
        browser.close()


if __name__ == "__main__":
    main()
