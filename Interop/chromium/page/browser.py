"""A person at a browser: looks, presses keys, clicks, and takes pictures."""

import os

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .programs import Failure, eventually

PHONE = (390, 780)
DESK = (1100, 800)


class Browser:
    """A Chromium of its own, with one page."""

    def __init__(self, pictures, size=DESK, language="en-GB", dark=False, still=False):
        self.pictures = pictures
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run",
                         f"--lang={language}"):
            options.add_argument(argument)
        if still:
            options.add_argument("--force-prefers-reduced-motion")
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
        self.resize(size, dark)

    def resize(self, size, dark=False):
        """Makes the window as large as that, and light or dark."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, address):
        """Goes to an address."""
        self.driver.get(address)

    def close(self):
        """Ends the browser."""
        self.driver.quit()

    def script(self, text, *arguments):
        """The value of a script."""
        return self.driver.execute_script(text, *arguments)

    # Looking

    def element(self, selector):
        """The first element."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The visible text of the first element; empty if it is not shown."""
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector).strip()

    def reads(self, selector, text):
        """Waits until a text can be read there."""
        try:
            return eventually(f"{text!r} in {selector}", lambda: text in self.text(selector) and self.text(selector))
        except Failure as failure:
            raise Failure(f"{failure}; there is {self.text(selector)!r}; {self.problems()}") from None

    def sees(self, selector):
        """Waits until an element is shown."""
        return eventually(f"{selector}; {self.text('body')!r}", lambda: any(
            each.is_displayed() for each in self.driver.find_elements(By.CSS_SELECTOR, selector)))

    def misses(self, selector):
        """Waits until no such element is shown."""
        return eventually(f"no {selector}", lambda: not any(
            each.is_displayed() for each in self.driver.find_elements(By.CSS_SELECTOR, selector)))

    def heard(self, text):
        """Waits until a screen reader was given a text, which was kept since `listen`."""
        return eventually(f"{text!r} in the news {self.script('return window.news')}",
                          lambda: any(text in each for each in self.script("return window.news")))

    def listen(self):
        """Keeps what a screen reader is given in the live regions."""
        self.script("""
            window.news = []
            for (const region of document.querySelectorAll("[role=status], [role=alert]")) {
                new MutationObserver(() => window.news.push(region.textContent))
                    .observe(region, {childList: true, characterData: true, subtree: true})
            }""")

    @property
    def focus(self):
        """The name of the element with the keyboard focus."""
        return self.script("const e = document.activeElement; return e === document.body ? '' : e.id || e.value || e.innerText || e.tagName")

    def problems(self):
        """The browser's error messages, without those about connections that a test has cut."""
        return [entry["message"] for entry in self.driver.get_log("browser") if "ERR_" not in entry["message"]]

    def picture(self, name):
        """Takes a picture."""
        os.makedirs(self.pictures, exist_ok=True)
        self.driver.save_screenshot(os.path.join(self.pictures, name + ".png"))

    # Acting

    def keys(self, *keys):
        """Presses keys at the element with the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, selector):
        """Clicks."""
        self.element(selector).click()

    def tab_to(self, name):
        """Presses Tab until an element has the focus."""
        for _ in range(60):
            if name in self.focus:
                return
            self.keys(Keys.TAB)
        raise Failure(f"no Tab leads to {name!r}, but to {self.focus!r}")
