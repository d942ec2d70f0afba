"""Crawls the pages of the bench with Scrapy: peers.py SEEDS PROXY DEPTH EXTRACTS.

EXTRACTS is yes or no: whether trafilatura extracts the text and metadata of each page.
"""

import os
import sys
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SEEDS, PROXY, DEPTH, EXTRACTS = sys.argv[1:]
# For all requests, also those for robots.txt.
os.environ["http_proxy"] = PROXY
SEEDS = open(SEEDS, encoding="utf-8").read().split()
if EXTRACTS == "yes":
    import trafilatura


class Peer(scrapy.Spider):
    name = "peer"
    allowed_domains = sorted({urlsplit(seed).hostname for seed in SEEDS})
    start_urls = SEEDS
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "ERROR",
        "DEPTH_LIMIT": int(DEPTH),
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "TELNETCONSOLE_ENABLED": False,
        "RETRY_ENABLED": False,
    }
    links = LinkExtractor()
    seen = set(SEEDS)

    async def start(self):
        for seed in SEEDS:
            yield scrapy.Request(seed)

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        if EXTRACTS == "yes":
            trafilatura.bare_extraction(response.text, url=response.url, with_metadata=True, include_comments=False)
        # Most links are known. A request for each of them takes longer than the page.
        for link in self.links.extract_links(response):
            if link.url not in self.seen:
                self.seen.add(link.url)
                yield scrapy.Request(link.url)


crawl = CrawlerProcess({"LOG_LEVEL": "ERROR"})
crawl.crawl(Peer)
crawl.start()
